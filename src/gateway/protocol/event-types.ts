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
