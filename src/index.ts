/** What a team that adds controllers imports from `gatehouse`. */

export { AccountParts, type Removal } from './accounts/account-parts.service.js';
export { type AppOptions, createApp } from './app.js';
export { type Issued, OneTimeSecrets, type Purpose } from './auth/secrets/one-time-secrets.service.js';
export type { ExtraPurposes } from './auth/secrets/purposes.js';
export { Clock } from './core/clock.js';
export { Config, loadConfig } from './core/config/config.js';
export { type DeclaredSettings, settings } from './core/config/declared.js';
export type { SettingsReader } from './core/config/reader.js';
export { ConfigurationError } from './core/config/start-error.js';
export {
  type ErrorCode,
  type ErrorExtras,
  type ExtraErrorCodes,
  type FieldCode,
  invalid,
  Refusal,
  registerErrorCode,
  registerFieldCode,
  unavailable,
} from './core/errors.js';
export { Log } from './core/log.js';
export { Snowflakes } from './core/snowflake.js';
export { codePoints } from './core/text/text.js';
export type { GatewayConnection } from './gateway/commands/command.js';
export { GatewayCommands } from './gateway/commands/decorators.js';
// Whole: only so can a team merge its events into what it imports.
export * from './gateway/protocol/event-types.js';
export { type EventNotice, type EventReader, GatewayEvents } from './gateway/sessions/events.service.js';
export { readBytes, readJson } from './http/body.js';
export * from './http/input.js';
export { MediaUrlService, type SignedUrl } from './media/addresses/urls.service.js';
export { MediaModule } from './media/media.module.js';
export { MediaService } from './media/objects/media.service.js';
export { Database, type Tx } from './platform/database/database.js';
export { type Notice, Replica } from './platform/replicas/replica.js';
export { Limiter, registerBucket } from './platform/store/limits.js';
export type { Account } from './policy/account.js';
export { registerAcl } from './policy/acls.js';
export { type Answer, Answers, type QueryParameter, ReadsQuery, type Taken, Takes } from './policy/answers.js';
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
  CaseInsensitiveScheme,
  ClientAuth,
  Cors,
  CredentialFree,
  Me,
  OAuthScope,
  Public,
  RateLimit,
  RequiresSudo,
  TheCall,
  UserOnly,
} from './policy/decorators.js';
export type { AdminKeyIdentity, BearerIdentity, BotIdentity, Identity, SessionIdentity } from './policy/identity.js';
export { registerScope } from './policy/scopes.js';
export { run } from './run.js';
export { type MessageInput, readMessage } from './webhooks/message-input.js';
export { WEBHOOK_MESSAGE_SINKS, type WebhookMessageEvent, type WebhookMessageSink } from './webhooks/message-sinks.js';
export { WebhookMessageService } from './webhooks/messages.service.js';
export { type OpenWebhook, WebhookTokenService } from './webhooks/webhook-tokens.service.js';
export { WebhooksModule } from './webhooks/webhooks.module.js';
