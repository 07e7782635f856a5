import type { MessageMappingProperties } from '@nestjs/websockets';
import type { ErrorCode } from '../../core/errors.js';
import type { EventData, EventType } from '../../core/names.js';
import type { BotIdentity, SessionIdentity } from '../../policy/identity.js';
import type { RoutePolicy } from '../../policy/route-policy.js';
import type { AddressUse } from '../protocol/windows.js';
import type { GatewaySession } from '../sessions/session.js';

/** A check that runs before a command handler. Checks run in order; the first one that throws wins. */
export interface CommandGuard {
  /** True if the check applies to commands with this declaration. Other commands skip it. */
  appliesTo(policy: RoutePolicy, rules: CommandRules): boolean;
  /** Error codes that the check can throw for a command that it applies to. */
  possibleErrors(policy: RoutePolicy, rules: CommandRules): readonly ErrorCode[];
  /** Throws an `ApiError` or a `ClosingError` if the command is rejected. */
  check(command: Command, plan: CommandPlan): void | Promise<void>;
}

/** Declarations of a handler in addition to its policy. */
export interface CommandRules {
  /** True for built-in handlers. An error that they throw closes the connection. */
  readonly isOurs: boolean;
  /** Allowed only while no session is attached. */
  readonly isBeforeIdentify: boolean;
  /** Counts as an attempt to start or resume a session. During an attempt, only a few messages may wait. */
  readonly isSessionStart: boolean;
  /** The class of the payload. */
  readonly input: (new () => object) | undefined;
}

/** A command as its guards see it: compiled once at startup, frozen, and read for every message. */
export interface CommandPlan extends CommandRules {
  readonly gateway: string;
  readonly handler: string;
  /** Identifies the message: an opcode, or the name in `t` of a message with opcode 0. */
  readonly message: number | string;
  readonly policy: RoutePolicy;
  readonly guards: readonly CommandGuard[];
  readonly bucketId: string | undefined;
  /** Error codes that the guards can throw. */
  readonly refusals: readonly ErrorCode[];
}

/** The part of a connection that extension handlers and hooks can use. */
export interface GatewayConnection {
  readonly isClosed: boolean;
  /** The session of the connection, from READY or RESUMED until the session ends. */
  readonly session: { readonly id: string; readonly accountId: string } | null;
  /** Sends an event only to this session. The event is not stored for replay. */
  dispatch<T extends EventType>(type: T, d: EventData<T>): void;
}

/** The part of a connection that guards can use. */
export interface Sender extends GatewayConnection {
  readonly address: string;
  readonly use: AddressUse;
  readonly session: GatewaySession | null;
}

/** Calls a handler through Nest. */
export type CommandCallback = MessageMappingProperties['callback'];

/** One gateway message on its way to its handler, with the results of the guards. */
export class Command {
  identity: SessionIdentity | BotIdentity | null = null;
  readonly isOperational = false;
  readonly params = {};

  constructor(
    readonly connection: Sender,
    readonly plan: CommandPlan,
    /** The payload as received. A guard replaces it with the validated input of the handler. */
    public payload: unknown,
  ) {}

  get address(): string {
    return this.connection.address;
  }
}
