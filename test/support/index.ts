export * from './admin.js';
export * from './all-credentials.js';
export * from './bans.js';
export * from './captcha.js';
export { runCleanup } from './cleanup.js';
export * from './client.js';
export * from './enforce-sso.js';
export * from './event-receiver.js';
export * from './events.js';
export { Exchange, type Received, type TestResponse } from './exchange.js';
export * from './expect-api-error.js';
export * from './export-and-erasure.js';
export * from './gatehouse.js';
export { GatewayClient, type Payload } from './gateway-client.js';
export * from './jobs.js';
export * from './mail.js';
export { expectExposure, expectMatrix } from './matrix.js';
export * from './media.js';
export * from './oauth.js';
export * from './origin.js';
export type { EndOutage } from './outages.js';
export * from './own-links.js';
export * from './passkeys.js';
export * from './personas.js';
export * from './pictures.js';
export * from './race.js';
export * from './raw-connection.js';
export * from './rows.js';
export * from './shortened-timers.js';
export * from './software-authenticator.js';
export {
  type Claims,
  configureSso,
  environmentOf,
  gatehouseWithSso,
  offerSso,
  patchSso,
  ScriptedProvider,
  signed,
  signInBySso,
  startSso,
} from './sso.js';
export * from './webhooks.js';
