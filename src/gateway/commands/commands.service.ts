import { Injectable, type Type } from '@nestjs/common';
import { isObservable, lastValueFrom } from 'rxjs';
import { Log } from '../../core/log.js';
import { Metrics } from '../../core/metrics.js';
import type { EventData, EventType } from '../../core/names.js';
import { toApiError } from '../../core/to-api-error.js';
import { FeatureRegistry } from '../../policy/feature-registry.js';
import { describePolicy } from '../../policy/route-policy.js';
import { ClosingError, MessageDropped, OP, type Payload } from '../protocol/protocol.js';
import type { Command, CommandCallback, CommandPlan } from './command.js';

/** Lower opcodes are reserved for built-in commands. */
export const FIRST_EXTENSION_OPCODE = 64;
export const LAST_EXTENSION_OPCODE = 255;

/** A plan with the class and the callback by which Nest identifies the handler. */
export interface AuditedCommand {
  readonly gateway: Type;
  readonly callback: object;
  readonly plan: CommandPlan;
}

/** All gateway commands with their policies, as found by the startup audit. */
@Injectable()
export class Commands {
  private readonly byMessage = new Map<number | string, CommandPlan>();
  private readonly byHandler = new Map<object, AuditedCommand[]>();

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly features: FeatureRegistry,
  ) {}

  register(audited: readonly AuditedCommand[]): void {
    for (const command of audited) {
      const { callback, plan } = command;
      this.byMessage.set(plan.message, plan);
      this.byHandler.set(callback, [...(this.byHandler.get(callback) ?? []), command]);
    }
  }

  /** Returns the command for a message. Extension commands use an opcode, or opcode 0 and a name in `t`. */
  find({ op, t }: Payload): CommandPlan | undefined {
    if (op !== OP.DISPATCH) return this.byMessage.get(op);
    return typeof t === 'string' ? this.byMessage.get(t) : undefined;
  }

  planOf(gateway: Type, callback: object): CommandPlan {
    const found = this.byHandler.get(callback)?.find((command) => command.gateway === gateway);
    if (!found)
      throw new Error(
        `A command of ${gateway.name} was not audited. Add the class to the providers of a module before startup`,
      );
    return found.plan;
  }

  /**
   * Runs a command. Errors of built-in handlers close the connection. Errors of extension handlers are sent as `REFUSED`.
   */
  async serve(command: Command, callback: CommandCallback): Promise<void> {
    try {
      const called = await callback(command.payload, command);
      // Behind an interceptor, the result is an observable; the handler runs only after a subscription.
      const result = isObservable(called) ? await lastValueFrom(called, { defaultValue: undefined }) : called;
      if (!command.plan.isOurs) sendResult(command, result);
    } catch (error) {
      if (error instanceof MessageDropped) return;
      if (error instanceof ClosingError || command.plan.isOurs) throw error;
      this.sendRejection(command, error);
    }
  }

  private sendRejection({ plan: { gateway, handler, message }, connection }: Command, error: unknown): void {
    const apiError = this.features.requireDeclared(toApiError(error));
    const { code } = apiError;
    this.metrics.add('gatehouse_refusals_total', { code });
    if (code === 'INTERNAL_SERVER_ERROR')
      this.log.error('gateway command failed', { command: `${gateway}.${handler}`, error: apiError.cause ?? error });
    const what = typeof message === 'number' ? { op: message } : { op: OP.DISPATCH, t: message };
    connection.dispatch('REFUSED', { ...what, code, message: this.features.describe(apiError).message });
  }

  /** All commands: first by opcode, then by name. */
  get all(): readonly CommandPlan[] {
    const order = ({ message }: CommandPlan) => (typeof message === 'number' ? message : Number.POSITIVE_INFINITY);
    return [...this.byMessage.values()].sort(
      (a, b) => order(a) - order(b) || String(a.message).localeCompare(String(b.message), 'en'),
    );
  }

  /** One line `WS command policy` per command. `npm run routes` prints these lines after the routes. */
  describe(): string {
    return this.all.map((plan) => `WS ${commandName(plan)} ${describeRules(plan)}\n`).join('');
  }
}

/** Sends the result of a handler as an event, as Nest's own adapters do. Handlers may also return nothing. */
function sendResult({ connection, plan }: Command, result: unknown): void {
  if (result === undefined || result === null) return;
  const { event, data } = result as { event?: unknown; data?: unknown };
  if (typeof event !== 'string')
    throw new Error(`${plan.gateway}.${plan.handler} returned no event. Return { event, data }`);
  connection.dispatch(event as EventType, (data ?? null) as EventData<EventType>);
}

export const commandName = ({ message, handler }: CommandPlan): string =>
  typeof message === 'number' ? `${message} ${handler.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase()}` : message;

const describeRules = ({ policy, isBeforeIdentify, isSessionStart }: CommandPlan): string =>
  [describePolicy(policy), isBeforeIdentify && '@BeforeIdentify()', isSessionStart && '@SessionStart()']
    .filter(Boolean)
    .join(' ');
