import { accounts } from './accounts/accounts.feature.js';
import { admin } from './admin/admin.feature.js';
import { role } from './admin/roles/role.feature.js';
import { statistics } from './admin/statistics/statistics.feature.js';
import { auth } from './auth/auth.feature.js';
import { connection } from './auth/connections/connections.feature.js';
import { bans } from './bans/bans.feature.js';
import { type Config, documentSettings, readConfig } from './core/config/config.js';
import type { DeclaredSettings, Env, Setting } from './core/config/reader.js';
import { withSecretFiles } from './core/config/secret-files.js';
import { decisions } from './decisions/decisions.feature.js';
import { forwardAuth } from './forward-auth/forward-auth.feature.js';
import { gateway } from './gateway/gateway.feature.js';
import { http } from './http/http.feature.js';
import { media } from './media/media.feature.js';
import { oauth } from './oauth/oauth.feature.js';
import { openid } from './oauth/openid/openid.feature.js';
import { personalTokens } from './oauth/personal-tokens/personal-tokens.feature.js';
import { outgoingEvents } from './outgoing-events/outgoing-events.feature.js';
import { pipeline } from './pipeline/pipeline.feature.js';
import type { DatabaseSchema } from './platform/database/data-source-options.js';
import { assertFreeColumnNames } from './platform/keys/encrypted-columns.js';
import { assertValidMails } from './platform/mail/templates/extension-mails.js';
import { platform } from './platform/platform.feature.js';
import type { Extension } from './policy/extension.js';
import type { Feature } from './policy/feature.js';
import { FeatureRegistry } from './policy/feature-registry.js';
import { protection } from './protection/protection.feature.js';
import { restore } from './restore/restore.feature.js';
import { demo } from './service/demo/demo.feature.js';
import { service } from './service/service.feature.js';
import { users } from './users/users.feature.js';
import { web } from './web/web.feature.js';
import { webhooks } from './webhooks/webhooks.feature.js';

/** The features of the service, in the order of the registries and of the modules. */
export const BUILT_IN_FEATURES: readonly Feature[] = [
  http,
  pipeline,
  platform,
  service,
  accounts,
  bans,
  auth,
  connection,
  users,
  oauth,
  openid,
  personalTokens,
  admin,
  role,
  statistics,
  demo,
  gateway,
  media,
  webhooks,
  protection,
  restore,
  decisions,
  forwardAuth,
  outgoingEvents,
  web,
];

/** Without OpenID Connect, its scopes do not exist (contract/openid.md). */
const withoutScopes = (feature: Feature): Feature => (feature === openid ? { ...feature, scopes: {} } : feature);

/** The order of the built-in settings in `.env.example`, because several features share a section. Others follow. */
const SETTINGS_ORDER: readonly string[] = [
  ...['InstanceSettings', 'OriginSettings', 'AppealSettings', 'ServiceSettings', 'DemoSettings', 'BrandSettings'],
  'WebSettings',
  ...['SecretSettings', 'SetupSettings', 'DataSettings', 'MailSettings', 'SmsSettings', 'DeletionSettings'],
  ...['SessionSettings', 'SecurityEventSettings', 'SignInSettings', 'OutboundSettings', 'PasswordHashSettings'],
  ...[
    'OAuthSettings',
    'PersonalTokenSettings',
    'ServicePolicySettings',
    'ForwardAuthSettings',
    'AdminSettings',
    'MediaSettings',
    'RestoreSettings',
    'WebhookSettings',
    'OutgoingEventSettings',
    'RateLimitSettings',
    'GatewaySettings',
  ],
  ...['AllowanceSettings', 'BanSettings', 'LoadSettings', 'ConnectionSettings', 'MetricsSettings', 'LogSettings'],
  'TracingSettings',
];
const placeOf = ({ name }: DeclaredSettings): number => SETTINGS_ORDER.indexOf(name) + 1 || Infinity;

const BUILT_IN_SETTINGS = BUILT_IN_FEATURES.flatMap(({ settings = [] }) => settings).sort(
  (a, b) => placeOf(a) - placeOf(b),
);

/** All settings in the order of the documentation. */
export const allSettings = (more: readonly DeclaredSettings[] = []): readonly Setting[] =>
  documentSettings([...BUILT_IN_SETTINGS, ...more]);

/**
 * Reads the whole environment, and the files of its secrets, into one frozen object.
 * @param more the settings of an extension
 * @throws ConfigurationError with every invalid setting
 */
export function loadConfig(env: Env, more: readonly DeclaredSettings[] = []): Config {
  return readConfig(withSecretFiles(env, allSettings(more)), BUILT_IN_SETTINGS, more);
}

/**
 * The registry of an application.
 * @throws StartError if the features of the extension are invalid
 */
export function featureRegistry({ features }: Extension = {}, config?: Config): FeatureRegistry {
  const isOpenIdOff = config !== undefined && !config.openid.isEnabled;
  const builtIn = isOpenIdOff ? BUILT_IN_FEATURES.map(withoutScopes) : BUILT_IN_FEATURES;
  const { file, policies } = config?.servicePolicies ?? {};
  const ofOperator = file === undefined ? undefined : { name: file, servicePolicies: policies ?? {} };
  const registry = new FeatureRegistry(builtIn, features, ofOperator);
  assertValidMails(registry.extensionFeatures);
  assertFreeColumnNames(registry.encryptedColumns);
  return registry;
}

const timestampOf = ({ name }: { readonly name: string }): number => Number(name.slice(-13));

/** The tables and the migrations of all features, in the order of application. */
export function databaseSchema({ features = [] }: Extension = {}): DatabaseSchema {
  const migrationsOf = (some: readonly Feature[]) =>
    some.flatMap(({ migrations = [] }) => migrations).sort((a, b) => timestampOf(a) - timestampOf(b));
  return {
    entities: [...BUILT_IN_FEATURES, ...features].flatMap(({ entities = [] }) => entities),
    migrations: migrationsOf(BUILT_IN_FEATURES),
    extensionMigrations: migrationsOf(features),
  };
}
