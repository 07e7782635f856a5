import { Injectable, type Type } from '@nestjs/common';
import { Config } from '../core/config/config.js';
import { ApiError, type ErrorCode, validationError } from '../core/errors.js';
import { isWithinJsonLimits } from '../core/text/json-shape.js';
import type { Command, CommandGuard, CommandPlan, CommandRules } from '../gateway/commands/command.js';
import { Credentials } from '../gateway/credentials.service.js';
import { GatewayLimits } from '../gateway/limits/limits.js';
import { ClosingError, MessageDropped } from '../gateway/protocol/protocol.js';
import { toPlainObject } from '../http/body.js';
import { validateShape } from '../http/input.js';
import type { RoutePolicy } from '../policy/route-policy.js';
import { LoadGuard } from './arrival-guards.js';
import { KindGuard, RateGuard, SuspicionGuard } from './guards.js';

/** The guards of the built-in commands (gateway.md sections 7 and 8, row 1). */
export const builtInCommandGuards = (): Type<CommandGuard>[] => [AttemptGuard];

/** The order of the guards of extension commands: rows of credentials.md section 4. The first error decides. */
export const commandGuardsInOrder = (): Type<CommandGuard>[] => [
  CommandLoadGuard, // 1   503 SERVICE_UNAVAILABLE
  SessionGuard, // 3   attaches the current state of the session's identity; closes with 4003, 4004
  RateGuard, //        5   429 RATE_LIMITED: global, then the command's bucket
  KindGuard, //        8   403 ACCESS_DENIED
  SuspicionGuard, //  12   403 ACCOUNT_SUSPICIOUS_ACTIVITY
  PayloadGuard, //    13   400 INVALID_FORM_BODY
];

@Injectable()
export class AttemptGuard implements CommandGuard {
  constructor(
    private readonly limits: GatewayLimits,
    private readonly config: Config,
  ) {}

  appliesTo(_policy: RoutePolicy, { isSessionStart }: CommandRules): boolean {
    return isSessionStart && this.config.rateLimits;
  }

  possibleErrors(): readonly ErrorCode[] {
    return [];
  }

  check({ connection }: Command): void | Promise<void> {
    const admitted = this.limits.takeAttempt(connection.use);
    return typeof admitted === 'boolean' ? dropUnless(admitted) : admitted.then(dropUnless);
  }
}

function dropUnless(isAdmitted: boolean): void {
  if (!isAdmitted) throw new MessageDropped();
}

@Injectable()
export class CommandLoadGuard extends LoadGuard implements CommandGuard {
  appliesTo(): boolean {
    return true;
  }

  check(): void {
    this.arrive();
  }
}

@Injectable()
export class SessionGuard implements CommandGuard {
  constructor(private readonly credentials: Credentials) {}

  appliesTo(): boolean {
    return true;
  }

  possibleErrors(): readonly ErrorCode[] {
    return ['SERVICE_UNAVAILABLE'];
  }

  async check(command: Command): Promise<void> {
    const { connection } = command;
    if (!connection.session) throw new ClosingError('notAuthenticated');
    command.identity = await this.credentials.confirm(connection.session);
    if (connection.isClosed) throw new MessageDropped();
    if (!command.identity) throw new ClosingError('invalidToken');
  }
}

/** Handlers receive only payloads that were validated against a class. */
@Injectable()
export class PayloadGuard implements CommandGuard {
  appliesTo(): boolean {
    return true;
  }

  possibleErrors(_policy: RoutePolicy, { input }: CommandRules): readonly ErrorCode[] {
    return input ? ['INVALID_FORM_BODY'] : [];
  }

  check(command: Command, { input }: CommandPlan): void {
    const payload = command.payload ?? {};
    command.payload = undefined;
    if (!input) return;
    if (!isWithinJsonLimits(Buffer.from(JSON.stringify(payload)))) throw validationError('body', 'INVALID_FORMAT');
    const { instance, faults } = validateShape(input, toPlainObject(payload));
    if (faults.length > 0) throw new ApiError('INVALID_FORM_BODY', { errors: faults });
    command.payload = instance;
  }
}
