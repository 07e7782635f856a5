/** What a team that adds controllers imports from `gatehouse`. */
export { registerAcl } from './admin/acls.js';
export { type AppOptions, createApp } from './app.js';
export { type Issued, OneTimeSecrets, type Purpose } from './auth/one-time-secrets.service.js';
export type { ExtraPurposes } from './auth/purposes.js';
export { readBytes, readJson } from './body.js';
export type { Call } from './call.js';
export { Clock } from './clock.js';
export { Config, ConfigurationError, loadConfig } from './config.js';
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
} from './errors.js';
export { type EventNotice, type EventReader, GatewayEvents } from './gateway/events.service.js';
export * from './input.js';
export { Limiter, registerBucket } from './limits.js';
export { Log } from './log.js';
export { MediaModule } from './media/media.module.js';
export { MediaService } from './media/media.service.js';
export { MediaUrlService, type SignedUrl } from './media/urls.service.js';
export { registerScope } from './oauth/scopes.js';
export { Database, type Tx } from './platform/database.js';
export { type Notice, Replica } from './platform/replica.js';
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
export type {
  Account,
  AdminKeyIdentity,
  BearerIdentity,
  BotIdentity,
  Identity,
  SessionIdentity,
} from './policy/identity.js';
export { run } from './run.js';
export { Snowflakes } from './snowflake.js';
export { codePoints } from './text.js';
export { type MessageInput, readMessage } from './webhooks/message-input.js';
export { WEBHOOK_MESSAGE_SINKS, type WebhookMessageEvent, type WebhookMessageSink } from './webhooks/message-sinks.js';
export { WebhookMessageService } from './webhooks/messages.service.js';
export { type OpenWebhook, WebhookTokenService } from './webhooks/webhook-tokens.service.js';
export { WebhooksModule } from './webhooks/webhooks.module.js';
