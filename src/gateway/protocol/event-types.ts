import type { privateUserView } from '../../accounts/account.views.js';
import type { passkeyView } from '../../auth/passkeys/passkeys.service.js';
import type { settingsView } from '../../users/profile/settings.service.js';

export type UserView = ReturnType<typeof privateUserView>;
export type SettingsView = ReturnType<typeof settingsView>;
export type PasskeyView = ReturnType<typeof passkeyView>;

/** A session in the list that its account is told (contract/gateway.md section 11). */
export interface ListedSessionView {
  /** `all`, or the id of a gateway session. */
  readonly session_id: string;
  readonly status: 'online';
  readonly afk: false;
  readonly mobile: boolean;
}

/** What a session begins with (contract/gateway.md 7.1). */
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

/**
 * The data of every event by its name (contract/gateway.md section 11); other areas, and teams, declare theirs by merging.
 * `/asyncapi.json` is made from it.
 */
export interface EventTypes {
  /** The session has begun */
  READY: ReadyView;
  /** The session goes on; everything that was missed has been sent */
  RESUMED: Record<string, never>;
  /** The sessions of the account: one has begun or ended */
  SESSIONS_REPLACE: readonly ListedSessionView[];
  /** The token of the login session was replaced; its sockets close */
  AUTH_SESSION_CHANGE: { readonly old_auth_session_id_hash: string; readonly new_auth_session_id_hash: string };
  /** The account has changed */
  USER_UPDATE: UserView;
  /** The settings have changed */
  USER_SETTINGS_UPDATE: SettingsView;
  /** The passkeys have changed */
  WEBAUTHN_CREDENTIALS_UPDATE: readonly PasskeyView[];
  /** To a bot: somebody has authorised its application */
  APPLICATION_AUTHORIZE: {
    readonly user_id: string;
    readonly scopes: readonly string[];
    readonly authorized_at: string;
  };
  /** To a bot: somebody has taken that back */
  APPLICATION_DEAUTHORIZE: { readonly user_id: string };
  /** A command was refused; not kept for replay */
  REFUSED: { readonly op: number; readonly t?: string; readonly code: string; readonly message: string };
}

/** What clients say beside the commands of teams, by the name of its opcode (contract/gateway.md section 4). */
export interface ClientPayloads {
  /** The last sequence that was processed; answered by an acknowledgement */
  HEARTBEAT: number | null;
  /** Begins a session */
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
  /** Goes on with a session after a loss */
  RESUME: { readonly token: string; readonly session_id: string; readonly seq: number };
}

/** What the gateway says beside dispatches, by the name of its opcode; `undefined` has no `d`. */
export interface ServerPayloads {
  /** Asks for a heartbeat */
  HEARTBEAT: null;
  /** Connect again, and resume */
  RECONNECT: undefined;
  /** What was to be resumed is not to be had: identify */
  INVALID_SESSION: false;
  /** The first message of a connection */
  HELLO: { readonly heartbeat_interval: number };
  /** A heartbeat has come */
  HEARTBEAT_ACK: undefined;
}

export type EventType = keyof EventTypes;
