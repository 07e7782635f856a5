import { Injectable, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ApiError, type ErrorCode } from '../core/errors.js';
import { findRule } from '../http/field.js';
import { getRuleMembers } from '../http/input-members.js';
import type { Call } from '../policy/call.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import type { InputPlan, RoutePlan } from '../policy/plan.js';
import type { AnyCheck, RouteCheck, RoutePolicy } from '../policy/route-policy.js';
import type { Guard } from './guard.js';

const PARTS = ['params', 'query', 'body'] as const;

/** The parts of the input whose class has the member. */
const partsWith = (input: InputPlan, name: string) =>
  PARTS.filter((part) => input[part] !== undefined && getRuleMembers(input[part]).has(name));

const isGiven = (value: unknown): boolean => value !== undefined;

/** Runs the checks of extensions, each with the members of the input that it names. */
@Injectable()
export class CheckGuard implements Guard {
  readonly id = 'check';
  private readonly found = new Map<Type, AnyCheck>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly features: FeatureRegistry,
  ) {}

  appliesTo({ checks }: RoutePolicy): boolean {
    return checks !== undefined;
  }

  possibleErrors({ checks = [] }: RoutePolicy): readonly ErrorCode[] {
    return [...new Set(checks.flatMap(({ type }) => this.found.get(type)?.errors ?? []))];
  }

  async check({ identity, input: given }: Call, { policy: { checks = [] } }: RoutePlan): Promise<void> {
    if (!identity) throw new ApiError('UNAUTHORIZED');
    for (const { type, options } of checks) {
      // The audit has found the provider.
      const check = this.found.get(type) as RouteCheck;
      const members = check.input.map((name) => [name, PARTS.map((part) => given?.[part]?.[name]).find(isGiven)]);
      await check.check({ identity, input: Object.fromEntries(members) }, ...(options as never[]));
    }
  }

  /** Finds checks that cannot work on a route. */
  findFaults({ checks = [] }: RoutePolicy, input: InputPlan = {}): string[] {
    return checks.flatMap(({ type }) => {
      const wrapper = this.discovery.getProviders().find(({ token }) => token === type);
      const name = `@Check(${type.name})`;
      if (!wrapper) return [`declares ${name}, which has no provider. Add ${type.name} to the providers of a module`];
      if (!wrapper.isDependencyTreeStatic())
        return [
          `declares ${name}, which is created for every request. Remove the request scope of the class and its dependencies`,
        ];
      const check: AnyCheck = wrapper.instance;
      this.found.set(type, check);
      const unknown = check.errors.filter((code) => !this.features.errors.has(code));
      return [
        ...unknown.map(
          (code) => `declares ${name} with the unknown error code '${code}'. Declare it in errors of a feature`,
        ),
        ...check.input.flatMap((member) => findMemberFaults(name, member, input)),
      ];
    });
  }
}

function findMemberFaults(check: string, member: string, input: InputPlan): string[] {
  const parts = partsWith(input, member);
  const [part] = parts;
  if (!part)
    return [
      `declares ${check}, which reads '${member}', but no input class of the handler has it. Add it to the class of @Param(), @Query() or @Body(), or correct input of the check`,
    ];
  if (parts.length > 1)
    return [`declares ${check}, which reads '${member}', but ${parts.join(' and ')} have it. Rename it in one of them`];
  const rule = input[part] && findRule(input[part], member);
  return rule?.optional || rule?.nullable
    ? [
        `declares ${check}, which reads '${member}', but a request can leave it out. Remove optional and nullable of its rule`,
      ]
    : [];
}
