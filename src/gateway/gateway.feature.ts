import { defineFeature, gatewayEvent } from '../policy/feature.js';
import { GatewayModule } from './gateway.module.js';
import type { ListedSessionView, PasskeyView, ReadyView, SettingsView, UserView } from './protocol/event-types.js';
import { GatewaySettings } from './settings/gateway.settings.js';

/** The realtime gateway. */
export const gateway = defineFeature('gateway', {
  modules: [GatewayModule],
  settings: [GatewaySettings],
  buckets: {
    'gateway:bot_info': [60, 60],
  },
  events: {
    /** The session has started */
    READY: gatewayEvent<ReadyView>(),
    /** The session has been resumed and all missed events have been sent */
    RESUMED: gatewayEvent<Record<string, never>>(),
    /** A session of the account has started or ended */
    SESSIONS_REPLACE: gatewayEvent<readonly ListedSessionView[]>(),
    /** The token of the login session was rotated; its sockets are closed */
    AUTH_SESSION_CHANGE: gatewayEvent<{
      readonly old_auth_session_id_hash: string;
      readonly new_auth_session_id_hash: string;
    }>(),
    /** The account has changed */
    USER_UPDATE: gatewayEvent<UserView>(),
    /** The settings have changed */
    USER_SETTINGS_UPDATE: gatewayEvent<SettingsView>(),
    /** The passkeys have changed */
    WEBAUTHN_CREDENTIALS_UPDATE: gatewayEvent<readonly PasskeyView[]>(),
    /** Sent to a bot: a user has authorized its application */
    APPLICATION_AUTHORIZE: gatewayEvent<{
      readonly user_id: string;
      readonly scopes: readonly string[];
      readonly authorized_at: string;
    }>(),
    /** Sent to a bot: a user has revoked the authorization of its application */
    APPLICATION_DEAUTHORIZE: gatewayEvent<{ readonly user_id: string }>(),
    /** A command was rejected; not stored for replay */
    REFUSED: gatewayEvent<{
      readonly op: number;
      readonly t?: string;
      readonly code: string;
      readonly message: string;
    }>(),
  },
  metrics: {
    gatehouse_gateway_sockets: { type: 'gauge', help: 'Open gateway connections' },
    gatehouse_gateway_sessions: { type: 'gauge', help: 'Gateway sessions of this process, including retained ones' },
    gatehouse_gateway_sessions_retained: { type: 'gauge', help: 'Gateway sessions that wait for a Resume' },
    gatehouse_gateway_replay_bytes: { type: 'gauge', help: 'Size of the events that are kept for a Resume' },
  },
  erasure: { gateway_session_ahead: { kept: 'IDs of gateway sessions, for five minutes' } },
});

declare module '../core/merged.js' {
  interface Features {
    gateway: typeof gateway;
  }
}

declare module '../core/config/config.js' {
  interface Config extends GatewaySettings {}
}
