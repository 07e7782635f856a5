import type { MessageMappingProperties } from '@nestjs/websockets';
import type { ErrorCode } from '../../core/errors.js';
import type { BotIdentity, SessionIdentity } from '../../policy/identity.js';
import type { RoutePolicy } from '../../policy/route-policy.js';
import type { EventType, EventTypes } from '../protocol/event-types.js';
import type { AddressUse } from '../protocol/windows.js';
import type { GatewaySession } from '../sessions/session.js';

/** One row of the order for commands. A row speaks only if every row above it let the command pass. */
export interface CommandGuard {
  /** Whether the row can refuse a command that declares this; the others skip it. */
  concerns(policy: RoutePolicy, rules: CommandRules): boolean;
  /** The codes with which the row may refuse a command that it concerns. */
  refuses(policy: RoutePolicy, rules: CommandRules): readonly ErrorCode[];
  /** Throws a `Refusal` or a `ClosingError`, or lets the command pass. */
  check(command: Command, plan: CommandPlan): void | Promise<void>;
}

/** What a handler declares beside its policy. */
export interface CommandRules {
  /** A handler of the service: what it throws ends the connection. */
  readonly isOurs: boolean;
  /** Only while no session is attached. */
  readonly isBeforeIdentify: boolean;
  /** Is an attempt of the address to start or resume a session, during which few messages may wait. */
  readonly isSessionStart: boolean;
  /** The class of the payload. */
  readonly input: (new () => object) | undefined;
}

/** A command as its guards see it: compiled once at boot, frozen, read on every message. */
export interface CommandPlan extends CommandRules {
  readonly gateway: string;
  readonly handler: string;
  /** What clients send: an opcode, or the name that stands in `t` beside opcode 0. */
  readonly message: number | string;
  readonly policy: RoutePolicy;
  readonly guards: readonly CommandGuard[];
  readonly bucketId: string | undefined;
  /** Codes with which the guards may refuse it. */
  readonly refusals: readonly ErrorCode[];
}

/** What a team's handlers and hooks see of a connection. */
export interface GatewayConnection {
  readonly isClosed: boolean;
  /** The session that it holds: from READY or RESUMED to its end. */
  readonly session: { readonly id: string; readonly accountId: string } | null;
  /** Sends an event to that session alone. It is not kept for replay. */
  dispatch<T extends EventType>(type: T, d: EventTypes[T]): void;
}

/** What guards know of the connection that a command came by. */
export interface Sender extends GatewayConnection {
  readonly address: string;
  readonly use: AddressUse;
  readonly session: GatewaySession | null;
}

/** Calls a handler through the framework. */
export type CommandCallback = MessageMappingProperties['callback'];

/** One gateway message on its way to its handler, and what the guards found out about it. */
export class Command {
  identity: SessionIdentity | BotIdentity | null = null;
  readonly isOperational = false;
  readonly params = {};

  constructor(
    readonly connection: Sender,
    readonly plan: CommandPlan,
    /** Of the message; from its guard on what the handler gets. */
    public payload: unknown,
  ) {}

  get address(): string {
    return this.connection.address;
  }
}
