/** The public API for extensions, imported from `@gatehouse-auth/server`. */

// Each built-in feature merges its names into `Features`. Only imports like these stay in the type declarations.
import './accounts/accounts.feature.js';
import './admin/admin.feature.js';
import './admin/roles/role.feature.js';
import './admin/statistics/statistics.feature.js';
import './auth/auth.feature.js';
import './auth/connections/connections.feature.js';
import './bans/bans.feature.js';
import './decisions/decisions.feature.js';
import './forward-auth/forward-auth.feature.js';
import './gateway/gateway.feature.js';
import './http/http.feature.js';
import './media/media.feature.js';
import './oauth/oauth.feature.js';
import './oauth/openid/openid.feature.js';
import './oauth/personal-tokens/personal-tokens.feature.js';
import './outgoing-events/outgoing-events.feature.js';
import './pipeline/pipeline.feature.js';
import './platform/platform.feature.js';
import './protection/protection.feature.js';
import './restore/restore.feature.js';
import './service/demo/demo.feature.js';
import './service/service.feature.js';
import './users/users.feature.js';
import './web/web.feature.js';
import './webhooks/webhooks.feature.js';

export { partialUserView } from './accounts/account.views.js';
export type { SecurityEventType } from './accounts/events/event-types.js';
export { getOrigin, type Origin } from './accounts/events/origin.js';
export { type NewEvent, SecurityEvents } from './accounts/events/security-events.service.js';
export { Accounts } from './accounts/extension/accounts.service.js';
export { ExtensionMailer, type ExtensionMailMessage } from './accounts/extension/extension-mailer.service.js';
export { AuditActions, type AuditFacts } from './admin/audit/audit-actions.service.js';
export { CurrentOperator, type Operator } from './admin/audit/operator.js';
export { TargetProtection } from './admin/users/target-protection.service.js';
export { type AppOptions, createApp } from './app.js';
export { type IssuedSecret, OneTimeSecrets, type Purpose } from './auth/secrets/one-time-secrets.service.js';
export { Clock } from './core/clock.js';
export { Config } from './core/config/config.js';
export { settings } from './core/config/declared.js';
export type { DeclaredSettings, SettingsReader } from './core/config/reader.js';
export { ConfigurationError } from './core/config/start-error.js';
export {
  ApiError,
  type ErrorCode,
  type ErrorExtras,
  type FieldCode,
  unavailable,
  validationError,
} from './core/errors.js';
export { Log } from './core/log.js';
// Exported as a whole, because declaration merging works only for such exports.
export * from './core/merged.js';
export type { Aggregation, LabelValues, MetricDeclaration } from './core/metric-declaration.js';
export { Metrics } from './core/metrics.js';
export type {
  EventData,
  EventType,
  ExtensionMailFacts,
  ExtensionMailType,
  JobName,
  JobPayload,
  MetricLabels,
  MetricName,
  MetricType,
  NameOf,
  OutgoingEventData,
  OutgoingEventType,
  SecretBinding,
  SecretPayload,
} from './core/names.js';
export { Snowflakes } from './core/snowflake.js';
export type { LocalizedText } from './core/text/localized-text.js';
export { countCodePoints } from './core/text/text.js';
export { loadConfig } from './features.js';
export type { GatewayConnection } from './gateway/commands/command.js';
export { GatewayCommands } from './gateway/commands/decorators.js';
export { type EventReader, GatewayEvents } from './gateway/sessions/events.service.js';
export { readBytes, readJson } from './http/body.js';
export type { Fault, FieldOptions, FieldRule } from './http/field.js';
export type { FieldDecorator } from './http/field-decorator.js';
export {
  AnyObject,
  Bool,
  Email,
  field,
  Int,
  type IntOptions,
  ListOf,
  type ListOptions,
  OneOf,
  Snowflake,
  Text,
  type TextOptions,
  Time,
} from './http/input.js';
export { MediaUrlService, type SignedUrl } from './media/addresses/urls.service.js';
export { MediaModule } from './media/media.module.js';
export { MediaService } from './media/objects/media.service.js';
export { SqlMigration } from './migrations/sql-migration.js';
export { OutgoingEvents } from './outgoing-events/outgoing-events.service.js';
export { type ChangeResult, Database, type Tx } from './platform/database/database.js';
export { streamRows } from './platform/database/rows.js';
export { Cleanup, type CleanupTask } from './platform/jobs/cleanup.js';
export { type EnqueueOptions, Jobs } from './platform/jobs/jobs.service.js';
export { ColumnEncryption } from './platform/keys/column-encryption.service.js';
export { type EventNotice, type Notice, ReplicaBus } from './platform/replicas/replica-bus.js';
export { Limiter } from './platform/store/limits.js';
export type { Account } from './policy/account.js';
export type {
  DataEraser,
  DataExporter,
  ErasureDeclaration,
  ExportDeclaration,
  ExportReader,
} from './policy/account-data.js';
export {
  ApiBody,
  ApiQuery,
  type ApiResponse,
  ApiResponses,
  type QueryParameter,
  type RequestBody,
} from './policy/answers.js';
export type { Call } from './policy/call.js';
export {
  Accepts,
  AdminAcl,
  AllowSuspicious,
  Authenticated,
  BearerOnly,
  BlockedBySso,
  BotOnly,
  Captcha,
  Check,
  ClientAuth,
  Cors,
  CredentialFree,
  CurrentCall,
  CurrentIdentity,
  OAuthScope,
  Public,
  RateLimit,
  ReadOnly,
  RequiresSudo,
  SecretPath,
  UserOnly,
} from './policy/decorators.js';
export { type Extension, extension } from './policy/extension.js';
export {
  type BucketDeclaration,
  type BucketOptions,
  defineFeature,
  type EncryptedColumnDeclaration,
  type Feature,
  type FeatureDeclaration,
  type GatewayEventDeclaration,
  gatewayEvent,
  type OutgoingEventDeclaration,
  outgoingEvent,
} from './policy/feature.js';
export type { FeatureMail, FeatureMailTexts, MailFacts } from './policy/feature-mail.js';
export type { HealthCheck, HealthCheckDeclaration } from './policy/health.js';
export type { AdminKeyIdentity, BearerIdentity, BotIdentity, Identity, SessionIdentity } from './policy/identity.js';
export type { JobAttempt, JobDeclaration, JobHandler } from './policy/jobs.js';
export type {
  LifecycleDeclaration,
  LifecycleDeclarations,
  LifecycleEvent,
  LifecycleFacts,
  LifecycleSubscriber,
  LifecycleType,
} from './policy/lifecycle.js';
export type { CheckedCall, RouteCheck } from './policy/route-policy.js';
export type { ServicePolicyDeclaration } from './policy/service-policy.js';
export { run } from './run.js';
export { start } from './start.js';
export { pageHeaders } from './web/content-policy.js';
export { type MessageInput, readMessage } from './webhooks/message-input.js';
export { WEBHOOK_MESSAGE_SINKS, type WebhookMessageEvent, type WebhookMessageSink } from './webhooks/message-sinks.js';
export { WebhookMessageService } from './webhooks/messages.service.js';
export { type AuthenticatedWebhook, WebhookTokenService } from './webhooks/webhook-tokens.service.js';
export { WebhooksModule } from './webhooks/webhooks.module.js';
