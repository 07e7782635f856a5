import { Injectable, type Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, ModuleRef } from '@nestjs/core';
import { hasOwnGuard } from '../core/front-door.js';
import { suggest } from '../core/text/similar.js';
import type { CommandGuard, CommandPlan } from '../gateway/commands/command.js';
import {
  type AuditedCommand,
  FIRST_EXTENSION_OPCODE,
  LAST_EXTENSION_OPCODE,
} from '../gateway/commands/commands.service.js';
import { GATEWAY_PATH, hasGatewayCommands, isBeforeIdentify, isSessionStart } from '../gateway/commands/decorators.js';
import { SessionGateway } from '../gateway/session.gateway.js';
import { bucketId } from '../platform/store/limits.js';
import { readPolicy } from '../policy/decorators.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import type { RoutePolicy } from '../policy/route-policy.js';
import { builtInCommandGuards, commandGuardsInOrder } from './command-guards.js';
import {
  GATEWAY_METADATA,
  GATEWAY_OPTIONS,
  GUARDS_METADATA,
  type InstanceWrapper,
  MESSAGE_MAPPING_METADATA,
  MESSAGE_METADATA,
  PORT_METADATA,
} from './nest-internals.js';
import { buildInputPlan } from './route-input.js';

type ReportFault = (fault: string) => void;

/** A command handler that was found by reflection. */
interface DiscoveredCommand {
  readonly controller: Type;
  readonly name: string;
  readonly handler: object;
  readonly message: unknown;
}

interface CommandGuardLists {
  readonly builtIn: readonly CommandGuard[];
  readonly extension: readonly CommandGuard[];
}

const EXTENSION_POLICIES: ReadonlySet<string> = new Set(['UserOnly', 'BotOnly', 'Authenticated']);
const COMMAND_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Audits gateway commands during startup, as `RouteAudit` does for routes. */
@Injectable()
export class CommandAudit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly modules: ModuleRef,
    private readonly features: FeatureRegistry,
  ) {}

  audit(report: ReportFault): AuditedCommand[] {
    const stack = (types: Type<CommandGuard>[]) => types.map((type) => this.modules.get(type, { strict: false }));
    const guards = { builtIn: stack(builtInCommandGuards()), extension: stack(commandGuardsInOrder()) };
    const audited = this.discoverCommands(report).flatMap((found) =>
      compile(found, { guards, features: this.features }, report),
    );
    reportDuplicates(audited, report);
    return audited;
  }

  private discoverCommands(report: ReportFault): DiscoveredCommand[] {
    return this.discovery.getProviders().flatMap((wrapper) => {
      const { metatype } = wrapper;
      if (wrapper.isNotMetatype || typeof metatype !== 'function') return [];
      const gateway = metatype as Type;
      const found = this.handlersOf(gateway);
      const isGateway = Reflect.hasMetadata(GATEWAY_METADATA, gateway);
      if (isGateway || found.length > 0) findGatewayFaults(wrapper, gateway).forEach(report);
      return found;
    });
  }

  private handlersOf(gateway: Type): DiscoveredCommand[] {
    const prototype = gateway.prototype ?? {};
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name] as object;
      if (!Reflect.getMetadata(MESSAGE_MAPPING_METADATA, handler)) return [];
      return [{ controller: gateway, name, handler, message: Reflect.getMetadata(MESSAGE_METADATA, handler) }];
    });
  }
}

function findGatewayFaults(wrapper: InstanceWrapper, gateway: Type): string[] {
  const faults: string[] = [];
  if (!hasGatewayCommands(gateway)) faults.push('has no @GatewayCommands(). Use it instead of @WebSocketGateway');
  else if (!isAtGatewayPath(gateway))
    faults.push('has @WebSocketGateway and @GatewayCommands(). Remove @WebSocketGateway');
  if (!wrapper.isDependencyTreeStatic())
    faults.push('is created for every message. Remove the request scope of the class and its dependencies');
  if (hasOwnGuard(Reflect.getMetadata(GUARDS_METADATA, gateway)))
    faults.push('uses @UseGuards. Remove it and declare a policy, such as @UserOnly()');
  return faults.map((fault) => `${gateway.name} ${fault}`);
}

function isAtGatewayPath(gateway: Type): boolean {
  const options: object = Reflect.getMetadata(GATEWAY_OPTIONS, gateway);
  const isAlone = Object.keys(options).length === 1 && 'path' in options && options.path === GATEWAY_PATH;
  return isAlone && Reflect.getMetadata(PORT_METADATA, gateway) === 0;
}

function compile(
  found: DiscoveredCommand,
  { guards, features }: { guards: CommandGuardLists; features: FeatureRegistry },
  blameAll: ReportFault,
): AuditedCommand[] {
  const { controller: gateway, name, handler, message } = found;
  const report = (fault: string) => blameAll(`${gateway.name}.${name} (WS ${String(message)}) ${fault}`);
  const isOurs = gateway === SessionGateway;
  if (hasOwnGuard(Reflect.getMetadata(GUARDS_METADATA, handler)))
    report('uses @UseGuards. Remove it and declare a policy, such as @UserOnly()');
  const policy = readPolicy(handler, gateway);
  if (Array.isArray(policy)) {
    policy.forEach(report);
    return [];
  }
  const marks = { isBeforeIdentify: isBeforeIdentify(handler), isSessionStart: isSessionStart(handler) };
  const input = isOurs ? undefined : buildInputPlan(found, policy, report);
  if (!isOurs) {
    findMessageFaults(message).forEach(report);
    findPolicyFaults(policy, features).forEach(report);
    if (marks.isBeforeIdentify || marks.isSessionStart)
      report('declares @BeforeIdentify or @SessionStart, which only built-in commands can use. Remove it');
    if (input?.params || input?.query)
      report('uses @Param() or @Query(), but a message has neither. Use @MessageBody()');
  }
  const rules = { isOurs, ...marks, input: input?.body };
  const rows = (isOurs ? guards.builtIn : guards.extension).filter((guard) => guard.appliesTo(policy, rules));
  const plan: CommandPlan = Object.freeze({
    gateway: gateway.name,
    handler: name,
    message: message as CommandPlan['message'],
    policy,
    ...rules,
    guards: Object.freeze(rows),
    refusals: Object.freeze([...new Set(rows.flatMap((guard) => guard.possibleErrors(policy, rules)))]),
    bucketId: policy.bucket && bucketId(policy.bucket.name),
  });
  return [{ gateway, callback: handler, plan }];
}

function findMessageFaults(message: unknown): string[] {
  if (typeof message === 'string' && COMMAND_NAME.test(message)) return [];
  const isOpcode = Number.isInteger(message) && (message as number) >= FIRST_EXTENSION_OPCODE;
  if (isOpcode && (message as number) <= LAST_EXTENSION_OPCODE) return [];
  return [
    `subscribes to an invalid message. Use a name such as NOTES_WATCH, or an opcode from ${FIRST_EXTENSION_OPCODE} to ${LAST_EXTENSION_OPCODE}`,
  ];
}

/**
 * Finds what the policy of an extension's command must not declare. A command needs an identity and has neither a
 * request nor a response.
 */
function findPolicyFaults(policy: RoutePolicy, { buckets }: FeatureRegistry): string[] {
  const faults: string[] = [];
  const { kind, bucket } = policy;
  if (!EXTENSION_POLICIES.has(kind))
    faults.push(`declares @${kind}, which is not for commands. Use @UserOnly(), @BotOnly() or @Authenticated()`);
  const foreign = {
    OAuthScope: policy.scope !== undefined,
    BlockedBySso: policy.blockedBySso,
    Check: policy.checks !== undefined,
    RequiresSudo: policy.sudo !== undefined,
    Captcha: policy.captcha,
    CaseInsensitiveScheme: policy.caseInsensitiveScheme,
    Cors: policy.cors !== 'default',
    Accepts: policy.accepts !== undefined,
  };
  for (const [name, isDeclared] of Object.entries(foreign)) {
    if (isDeclared) faults.push(`declares @${name}, which has no effect on a command. Remove it`);
  }
  if (bucket && !buckets.has(bucket.name))
    faults.push(
      `names the unknown bucket '${bucket.name}'. Declare it in buckets of a feature${suggest(bucket.name, buckets.keys())}`,
    );
  if (bucket?.per || bucket?.misses)
    faults.push('uses per or misses of @RateLimit, which only routes support. Remove them');
  return faults;
}

function reportDuplicates(audited: readonly AuditedCommand[], report: ReportFault): void {
  const seen = new Map<unknown, CommandPlan>();
  for (const { plan } of audited) {
    const other = seen.get(plan.message);
    if (other) {
      report(
        `${other.gateway}.${other.handler} and ${plan.gateway}.${plan.handler} both subscribe to WS ${plan.message}. Change the message of one`,
      );
    }
    seen.set(plan.message, plan);
  }
}
