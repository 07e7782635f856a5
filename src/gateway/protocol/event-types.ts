import type { privateUserView } from '../../accounts/account.views.js';
import type { passkeyView } from '../../auth/passkeys/passkeys.service.js';
import type { settingsView } from '../../users/profile/settings.service.js';

export type UserView = ReturnType<typeof privateUserView>;
export type SettingsView = ReturnType<typeof settingsView>;
export type PasskeyView = ReturnType<typeof passkeyView>;

/** An entry of the session list of an account (contract/gateway.md section 11). */
export interface ListedSessionView {
  /** `all`, or the ID of a gateway session. */
  readonly session_id: string;
  readonly status: 'online';
  readonly afk: false;
  readonly mobile: boolean;
}

/** Data of the first event of a session (contract/gateway.md 7.1). */
export interface ReadyView {
  readonly version: 1;
  readonly session_id: string;
  readonly resume_gateway_url: string;
  readonly user: UserView;
  readonly sessions: readonly ListedSessionView[];
  readonly guilds: readonly never[];
  readonly private_channels: readonly never[];
  readonly shard?: readonly [id: number, count: number];
  readonly application?: { readonly id: string };
  readonly user_settings?: SettingsView | undefined;
  readonly webauthn_credentials?: readonly PasskeyView[];
  readonly auth_session_id_hash?: string;
}

declare module '../../core/merged.js' {
  interface EventTypes {
    /** The session has started */
    READY: ReadyView;
    /** The session has been resumed and all missed events have been sent */
    RESUMED: Record<string, never>;
    /** A session of the account has started or ended */
    SESSIONS_REPLACE: readonly ListedSessionView[];
    /** The token of the login session was rotated; its sockets are closed */
    AUTH_SESSION_CHANGE: { readonly old_auth_session_id_hash: string; readonly new_auth_session_id_hash: string };
    /** The account has changed */
    USER_UPDATE: UserView;
    /** The settings have changed */
    USER_SETTINGS_UPDATE: SettingsView;
    /** The passkeys have changed */
    WEBAUTHN_CREDENTIALS_UPDATE: readonly PasskeyView[];
    /** Sent to a bot: a user has authorized its application */
    APPLICATION_AUTHORIZE: {
      readonly user_id: string;
      readonly scopes: readonly string[];
      readonly authorized_at: string;
    };
    /** Sent to a bot: a user has revoked the authorization of its application */
    APPLICATION_DEAUTHORIZE: { readonly user_id: string };
    /** A command was rejected; not stored for replay */
    REFUSED: { readonly op: number; readonly t?: string; readonly code: string; readonly message: string };
  }
}

/** Data of client messages other than extension commands, by the name of the opcode (contract/gateway.md section 4). */
export interface ClientPayloads {
  /** The last sequence number that the client has processed; the gateway acknowledges it */
  HEARTBEAT: number | null;
  /** Start a session */
  IDENTIFY: {
    /** A session or bot token as issued, without a scheme. */
    readonly token: string;
    readonly properties?: {
      readonly os?: string;
      readonly browser?: string;
      readonly device?: string;
      readonly mobile?: boolean;
    };
    readonly ignored_events?: readonly string[] | null;
    readonly shard?: readonly [id: number, count: number] | null;
  };
  /** Resume a session after the connection was lost */
  RESUME: { readonly token: string; readonly session_id: string; readonly seq: number };
}

/** Data of gateway messages other than dispatches, by the name of the opcode. `undefined`: the message has no `d`. */
export interface ServerPayloads {
  /** Request a heartbeat */
  HEARTBEAT: null;
  /** Reconnect and resume */
  RECONNECT: undefined;
  /** The session cannot be resumed; identify again */
  INVALID_SESSION: false;
  /** The first message of a connection */
  HELLO: { readonly heartbeat_interval: number };
  /** The heartbeat was received */
  HEARTBEAT_ACK: undefined;
}
