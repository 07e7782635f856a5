import { SudoInput } from '../auth/sudo/sudo.dto.js';
import { ApiError, type FieldFault, fieldErrorsOf } from '../core/errors.js';
import { getBody, hasBody, parseQuery } from '../http/body.js';
import { validateShape } from '../http/input.js';
import { isDeclared, membersWithoutRule } from '../http/input-members.js';
import type { Call, SudoMembers } from '../policy/call.js';
import { findInjected } from '../policy/decorators.js';
import type { FeatureRegistry } from '../policy/feature-registry.js';
import type { InputPlan, RoutePlan, Shape } from '../policy/plan.js';
import type { RoutePolicy } from '../policy/route-policy.js';
import type { DiscoveredRoute } from './compiled-routes.js';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from './nest-internals.js';

type ArgumentMetadata = Record<string, { index: number; factory?: object; data?: unknown; pipes?: unknown[] }>;

const PARTS: Partial<Record<number, 'params' | 'query' | 'body'>> = {
  [RouteParamtypes.PARAM]: 'params',
  [RouteParamtypes.QUERY]: 'query',
  [RouteParamtypes.BODY]: 'body',
};

/** The part of the input that is bound by an entry of Nest's argument metadata. */
export const inputPartOf = (key: string): 'params' | 'query' | 'body' | undefined =>
  // `3:0` belongs to Nest's own decorator of kind 3. Keys of `createParamDecorator` begin with a random ID.
  PARTS[Number(/^(\d+):\d+$/.exec(key)?.[1] ?? -1)];

interface Binding {
  readonly data: unknown;
  readonly pipes: readonly unknown[] | undefined;
  /** Whether the compiler emitted the types of the parameters. */
  readonly hasTypes: boolean;
}

/** Why the input that a parameter binds would not be validated, and the fix. */
function findBindingFault(type: unknown, { data, pipes = [], hasTypes }: Binding): string | undefined {
  if (data !== undefined)
    return `its decorator names ${JSON.stringify(data)}. Remove the name, and bind the whole of it to a class whose members have rules`;
  if (pipes.length > 0) return 'its decorator has a pipe. Remove the pipe, and use a class whose members have rules';
  if (!hasTypes)
    return 'the build does not contain the types of parameters. Compile with tsc and emitDecoratorMetadata, or with SWC and decoratorMetadata. esbuild and tsx cannot emit them';
  if (type === Function) return 'its class is imported with "import type". Import the class without "type"';
  if (typeof type !== 'function' || type === Object)
    return 'its type is not a class at run time. Use a class, not an interface, and import it without "type"';
  if (!isDeclared(type as Shape)) return `no member of ${type.name} has a rule. Add one to each, such as @Text()`;
  return undefined;
}

/** Collects what Nest's own parameter decorators bind. Every bound part must be a class with rules. */
export function buildInputPlan(
  { controller, name }: Pick<DiscoveredRoute, 'controller' | 'name'>,
  policy: RoutePolicy,
  blame: (fault: string) => void,
): InputPlan | undefined {
  const bound: ArgumentMetadata = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {};
  const types: unknown[] | undefined = Reflect.getMetadata('design:paramtypes', controller.prototype, name);
  const input: { -readonly [part in keyof InputPlan]: Shape } = {};
  for (const [key, { index, factory, data, pipes }] of Object.entries(bound)) {
    const part = inputPartOf(key);
    const type = types?.[index];
    if (!part) {
      const injected = factory && !pipes?.length ? findInjected(factory) : undefined;
      // Interfaces and unions have the type Object, and classes from `import type` have the type Function.
      const isKnown = typeof type === 'function' && type !== Object && type !== Function;
      if (injected && isKnown && type.name !== injected)
        blame(`injects ${injected} as its argument ${index + 1}, whose type is ${type.name}. Correct the type`);
      continue;
    }
    const fault = findBindingFault(type, { data, pipes, hasTypes: types !== undefined });
    if (fault) blame(`takes unvalidated ${part}, because ${fault}`);
    else {
      const shape = type as Shape;
      input[part] = shape;
      for (const member of membersWithoutRule(shape))
        blame(
          `takes ${shape.name}, whose member '${member}' has no rule, so no request can set it. Add a rule, such as @Text()`,
        );
    }
  }
  if (policy.sudo) input.sudo = SudoInput;
  return Object.keys(input).length > 0 ? Object.freeze(input) : undefined;
}

/**
 * Validates path, query and body, and reports all errors in one response. Also rejects an unreadable body that the
 * operation does not use.
 * @throws ApiError INVALID_FORM_BODY, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
 */
export async function readInput(
  call: Call,
  { input = {}, accepts }: RoutePlan,
  features: FeatureRegistry,
): Promise<void> {
  const faults: FieldFault[] = [];
  const checked: NonNullable<Call['input']> = {};
  const validate = (shape: Shape, value: unknown) => validatePart(validateShape(shape, value, features), faults);
  if (input.params) checked.params = validate(input.params, call.params);
  if (input.query) checked.query = validate(input.query, parseQuery(call.req.url ?? ''));
  if (input.body || input.sudo || (accepts.kind === 'json' && hasBody(call.req))) {
    const body = await getBody(call);
    if ('fault' in body) faults.push(...fieldErrorsOfBody(body.fault));
    else {
      if (input.body) checked.body = validate(input.body, body.value);
      if (input.sudo) call.sudoMembers = validate(input.sudo, body.value) as SudoMembers;
    }
  }
  if (faults.length > 0) throw new ApiError('INVALID_FORM_BODY', { errors: faults.slice(0, 100) });
  call.input = checked;
}

/** Replaces the raw input on the framework's request with the validated instances, for Nest's own decorators. */
export function bindValidatedInput(input: InputPlan, call: Call, request: object): void {
  for (const part of ['params', 'query', 'body'] as const) {
    if (input[part])
      Object.defineProperty(request, part, { value: call.input?.[part], configurable: true, writable: true });
  }
}

/** The field errors of an unreadable body. Throws errors that do not belong to a field, such as 413. */
function fieldErrorsOfBody(fault: Error): readonly FieldFault[] {
  if (fault instanceof ApiError && fault.code === 'INVALID_FORM_BODY') return fieldErrorsOf(fault);
  throw fault;
}

function validatePart(result: ReturnType<typeof validateShape>, faults: FieldFault[]): object {
  for (const fault of result.faults) {
    if (!faults.some(({ path, code }) => path === fault.path && code === fault.code)) faults.push(fault);
  }
  return result.instance;
}
