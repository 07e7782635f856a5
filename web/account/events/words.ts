import type { paths, ResponseBody } from '@gatehouse-auth/client';
import {
  formatDateTime,
  isolateDirection,
  language,
  localizedText,
  type TranslationKey,
  t,
} from '../../core/language.js';
import { plainScope } from '../../core/scopes.js';
import { suspensionOf } from '../../core/suspension.js';
import type { IconName } from '../../kit/icon.js';

export type SecurityEvent = ResponseBody<paths, '/v1/users/@me/security-events', 'get'>[number];
export type Ended = ResponseBody<paths, '/v1/users/@me/lockdown', 'post'>['ended'];

/** Event types with a translation. A newer service may send others. */
const TYPES: ReadonlySet<string> = new Set([
  ...['signed_in', 'sign_in_refused', 'ip_authorized', 'session_ended', 'sudo_granted', 'account_deletion_scheduled'],
  ...['application_authorized', 'application_removed', 'bot_token_reset', 'client_secret_reset', 'webhook_rotated'],
  ...['admin_key_created', 'admin_key_deleted', 'password_changed', 'password_reset', 'email_reverted'],
  ...['email_changed', 'totp_enabled', 'totp_disabled', 'passkey_added', 'passkey_removed', 'second_factor_enabled'],
  ...['second_factor_disabled', 'backup_codes_regenerated', 'mfa_disabled', 'account_suspended'],
  ...['account_reinstated', 'suspicious_activity', 'sso_linked', 'sso_taken_over', 'session_handed_over'],
  ...['locked_down', 'credential_leaked', 'data_exported', 'deletion_canceled', 'account_disabled'],
  ...['account_reactivated', 'suspicious_activity_ended', 'registration_approved', 'registration_rejected'],
  ...['access_token_created', 'access_token_deleted', 'bot_token_created', 'bot_token_deleted'],
  ...['email_bounced', 'requirements_changed', 'sso_identity_set', 'sso_identity_removed', 'permissions_changed'],
  ...['identity_linked', 'identity_unlinked'],
]);
const METHODS: ReadonlySet<string> = new Set([
  ...['registration', 'password', 'code', 'passkey', 'passkey_second_factor', 'passkey_bridge', 'handoff'],
  ...['single_sign_on', 'connection', 'password_reset', 'email_revert'],
]);
/** Reasons that the event type does not already include. */
const REASONS: ReadonlySet<string> = new Set([
  ...['signed_out', 'lockdown', 'password_changed', 'password_reset', 'email_reverted', 'account_disabled'],
  ...['account_deletion_scheduled', 'too_many_sessions', 'expired', 'leaked', 'token_revoked'],
]);
const KINDS: ReadonlySet<string> = new Set([
  ...['session', 'bot', 'admin_key', 'oauth2_token', 'personal_access_token', 'webhook'],
]);
const ENDED = ['sessions', 'grants', 'bot_tokens', 'webhook_tokens', 'admin_keys'] as const;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const listed = (items: readonly string[]): string =>
  new Intl.ListFormat(language.value, { type: 'conjunction', style: 'narrow' }).format(items);

/** The texts that say what the user did. They are used for events that a device of the user caused. */
const OWN: ReadonlySet<string> = new Set([
  ...['signed_in', 'ip_authorized', 'sudo_granted', 'account_deletion_scheduled', 'application_authorized'],
  ...['application_removed', 'bot_token_reset', 'client_secret_reset', 'webhook_rotated', 'admin_key_created'],
  ...['admin_key_deleted', 'password_changed', 'password_reset', 'email_changed', 'email_reverted', 'totp_enabled'],
  ...['totp_disabled', 'passkey_added', 'passkey_removed', 'second_factor_enabled', 'second_factor_disabled'],
  ...['backup_codes_regenerated', 'data_exported', 'deletion_canceled', 'account_disabled', 'account_reactivated'],
  ...['session_handed_over', 'locked_down', 'sso_linked', 'access_token_created', 'access_token_deleted'],
  ...['bot_token_created', 'bot_token_deleted'],
]);

/** The device of an event in words, or null. */
function deviceOf({ browser, os }: NonNullable<SecurityEvent['client']>): string | null {
  if (browser && os) return t('sessions.browserOn', { browser, system: os });
  return browser ?? os;
}

function endedHeadline({ by, reason }: SecurityEvent['data'], count: number): string {
  const cause = text(reason);
  if (by === 'administrator' || !REASONS.has(cause)) return t('events.session_ended');
  if (cause === 'signed_out') return t('events.youEnded', { count });
  return t('events.devicesEnded', { count, reason: t(`events.because_${cause}` as TranslationKey) });
}

/** One sentence. @param count how many equal events it is about */
export function eventHeadline({ type, data, words, client }: SecurityEvent, count = 1): string {
  if (words) return localizedText(words).text;
  if (!TYPES.has(type)) return type;
  if (type === 'session_ended') return endedHeadline(data, count);
  const method = text(data.method);
  const isOwn = client !== null && OWN.has(type);
  const key = isOwn ? (type === 'signed_in' && METHODS.has(method) ? `${type}_${method}` : `you_${type}`) : type;
  return t(`events.${key}` as TranslationKey, {
    name: text(data.name),
    network: text(data.masked_ip),
    deadline: text(data.deadline) && formatDateTime(text(data.deadline)),
    device: (client && deviceOf(client)) ?? t('events.someDevice'),
  });
}

/** The device, unless the sentence names it, and the network of an event. */
export const originOf = ({ type, client }: SecurityEvent): string =>
  client
    ? [
        ...(type === 'signed_in' ? [] : [deviceOf(client) ?? t('device.unknown')]),
        isolateDirection(client.masked_ip ?? ''),
      ].join(' · ')
    : '';

/** True if two events can be shown as one: their words are the same, and for most types also their session. */
export const isFoldable = (a: SecurityEvent, b: SecurityEvent): boolean =>
  a.type === b.type &&
  eventHeadline(a) === eventHeadline(b) &&
  eventDetails(a).join() === eventDetails(b).join() &&
  (a.type === 'session_ended' || (a.session_id_hash === b.session_id_hash && originOf(a) === originOf(b)));

/** The icon of the first entry that is a part of the event type. */
const ICONS: readonly (readonly [part: string, icon: IconName])[] = [
  ['sign_in_refused', 'triangle-alert'],
  ['suspicious', 'triangle-alert'],
  ['leaked', 'triangle-alert'],
  ['locked_down', 'triangle-alert'],
  ['signed_in', 'log-in'],
  ['session', 'log-out'],
  ['ip_', 'monitor'],
  ['email', 'mail'],
  ['password', 'lock'],
  ['passkey', 'fingerprint-pattern'],
  ['totp', 'shield-check'],
  ['factor', 'shield-check'],
  ['codes', 'shield-check'],
  ['mfa', 'shield-check'],
  ['sudo', 'shield-check'],
  ['application', 'app-window'],
  ['client_secret', 'app-window'],
  ['bot', 'bot'],
  ['webhook', 'webhook'],
  ['admin_key', 'key-round'],
  ['access_token', 'key-round'],
  ['data', 'database'],
  ['account', 'user'],
];

export const eventIcon = ({ type }: SecurityEvent): IconName =>
  ICONS.find(([part]) => type.includes(part))?.[1] ?? 'activity';

/** What a lockdown ended, with counts. */
export const countsOfEnded = (ended: Ended): string[] =>
  ENDED.filter((kind) => ended[kind] > 0).map((kind) => t(`events.ended_${kind}`, { count: ended[kind] }));

function eventActor(type: string, { by, reason }: SecurityEvent['data']): string[] {
  if (by === 'administrator' && type === 'session_ended') return [t('events.by_administrator')];
  if (REASONS.has(text(reason)))
    return type === 'session_ended' ? [] : [t(`events.reason_${text(reason)}` as TranslationKey)];
  return by === 'administrator' ? [t('events.by_administrator')] : [];
}

/** The details of an event, one sentence each. */
export function eventDetails({ type, data, words, client }: SecurityEvent): string[] {
  if (words) return [];
  const { method, kind, scopes, ended } = data;
  return [
    ...(METHODS.has(text(method)) && !(type === 'signed_in' && client)
      ? [t(`events.method_${text(method)}` as TranslationKey)]
      : []),
    ...(KINDS.has(text(kind)) ? [t(`events.kind_${text(kind)}` as TranslationKey)] : []),
    ...(Array.isArray(scopes)
      ? [t('events.scopes', { scopes: listed(scopes.map((scope) => plainScope(String(scope)))) })]
      : []),
    ...(type === 'locked_down' && ended ? countsOfEnded(ended as Ended) : []),
    ...suspensionOf(data.until, data.public_reason),
    ...eventActor(type, data),
  ];
}
