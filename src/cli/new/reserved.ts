import { RESERVED_FEATURE_NAMES } from '../../policy/reserved-names.js';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Keywords and built-in classes of JavaScript and TypeScript. */
const LANGUAGE_WORDS = words(`
  abstract any arguments array as async await bigint boolean break case catch class const constructor continue date
  debugger declare default delete do else enum error eval export extends false finally for from function get if
  implements import in infinity instanceof interface is json keyof let map math namespace never new null number object of
  package private promise protected prototype proxy public reflect reg-exp require return set static string super switch
  symbol this throw true try typeof undefined unknown var void weak-map weak-set while with yield
`);

/** Names that the files of a feature import. */
const FEATURE_WORDS = words(`
  admin-acl api-error api-responses audit-actions authenticated body call check checked-call clock column config controller
  credential-free current-call current-identity current-operator database define-feature entity error-code extension find-options-where gatehouse gateway-event gateway-events header http-code
  identity injectable int job-handler jobs less-than module o-auth-scope on-module-init operator page-headers param post
  primary-column query rate-limit read-file-sync route-check snowflake snowflakes sql-migration target-protection text tx user-only
`);

/** Tables, paths and events of the service, and names that it may need later. */
const SERVICE_WORDS = words(`
  access-token access-tokens account account-event account-settings acl acls admin admin-key admin-role api-key api-keys application applications audit-log
  audit-logs audit-verification auth authorized-ip backchannel-host backchannel-logout backup-code blocklist
  blocklists bot bot-token captcha credential credentials decision-stream decisions erasure-ledger event-endpoints event-types explain forward-auth gateway gateway-session-ahead inbox-message instance instance-statistics ip-ban
  connection connection-identity connections identities
  jobs journal leak-report media media-capability media-garbage media-object media-staged media-upload message migration
  oauth oauth-bot-grant oauth-code oauth-family oauth-removal oauth-token oauth2 one-time-secret openid-key openid-session outbox
  outgoing-delivery outgoing-endpoint outgoing-lane
  passkey personal-token personal-tokens pgboss-job pgboss-queue replica-statistics restore role roles security-event security-events session sessions setup
  sso-document sso-identity statistics team-migration user users webauthn-credential webhook webhook-event
  webhook-message webhook-queue webhook-repeat webhooks
`);

const RESERVED = new Set([...LANGUAGE_WORDS, ...FEATURE_WORDS, ...SERVICE_WORDS]);

/** Whether a name in kebab case is reserved. */
export const isReserved = (name: string): boolean => RESERVED.has(name);

/** Whether the first word of a feature name in snake case is reserved, so that the service would not start. */
export const isReservedFeatureName = (name: string): boolean =>
  RESERVED_FEATURE_NAMES.includes(name.split('_')[0] ?? '');
