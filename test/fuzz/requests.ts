import fc from 'fast-check';
import type { Client, TestResponse } from '../support/index.js';
import type { Operation } from './operations.js';
import { allowedBy, membersOf } from './values.js';

/** A request to an operation, before it refers to existing resources. */
export interface Plan {
  /** Path parameters by name. If `isMade` is true, existing resources replace them. */
  readonly path: Readonly<Record<string, string>>;
  readonly isMade: boolean;
  /** Path parameters that replace generated and existing ones. */
  readonly fixed?: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Sent unchanged instead of the body. */
  readonly raw?: Uint8Array | string;
  /** The kind of credential to send, one of those that the operation accepts. */
  readonly kind: string;
  /** Whether to prove identity with the password and to remove all other factors. */
  readonly isProvenByPassword: boolean;
}

/** Members of a request body that prove identity in operations with sudo mode. */
export const FACTORS: ReadonlySet<string> = new Set([
  ...['password', 'mfa_method', 'mfa_code', 'webauthn_response', 'webauthn_challenge'],
]);

const wanted = (isRequired: boolean, values: fc.Arbitrary<string>): fc.Arbitrary<string | undefined> =>
  isRequired ? values : fc.option(values, { nil: undefined });

const given = (members: Record<string, string | undefined>): [string, string][] =>
  Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined);

/** Characters that are allowed in a header. */
const headerText = fc.stringMatching(/^[!-~]{1,40}$/);

/** Requests that the OpenAPI description of an operation allows. */
export function plansOf(operation: Operation): fc.Arbitrary<Plan> {
  const places = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
  const record = (place: string, value: (parameter: Operation['parameters'][number]) => fc.Arbitrary<unknown>) =>
    fc.record(Object.fromEntries(places(place).map((parameter) => [parameter.name, value(parameter)])), {
      noNullPrototype: true,
    });
  const path = record('path', ({ schema }) =>
    allowedBy(schema).filter((value) => value !== '' && value !== '.' && value !== '..'),
  );
  const query = record('query', ({ required, schema }) => {
    const values = allowedBy(schema).map((value) => [value].flat().map(String));
    return required ? values : fc.option(values, { nil: [] });
  });
  const headers = record('header', ({ name, required, schema }) =>
    // An invalid sudo token would fail. The password proves the identity instead.
    name === 'X-Service-Sudo-Mode-JWT'
      ? fc.constant(undefined)
      : wanted(required, schema.enum ? allowedBy(schema).map(String) : headerText),
  );
  return fc.record({
    path: path as fc.Arbitrary<Plan['path']>,
    isMade: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    query: query.map((members) =>
      Object.entries(members as Record<string, string[]>).flatMap(([name, values]) =>
        values.map((value) => [name, value] as const),
      ),
    ),
    headers: headers.map((members) => Object.fromEntries(given(members as Record<string, string | undefined>))),
    body: operation.body && 'properties' in operation.body.schema ? membersOf(operation.body.schema) : fc.constant({}),
    kind: fc.constantFrom(...operation.credentials),
    isProvenByPassword: fc.boolean(),
  });
}

export const targetOf = ({ path }: Operation, values: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '1';
    if (value.startsWith('%')) return value;
    return name === 'path'
      ? value.split('/').map(encodeURIComponent).join('/')
      : encodeURIComponent(value.toWellFormed());
  });

const queryOf = (query: Plan['query']): string =>
  query.length === 0 ? '' : `?${new URLSearchParams(query as [string, string][])}`;

/** The body to send: the generated members, with the persona's password if the operation requires sudo mode. */
function bodyOf({ body: declared, takesSudo }: Operation, plan: Plan, password: string): unknown {
  if (!declared) return undefined;
  if (plan.raw !== undefined) return plan.raw;
  if (typeof plan.body !== 'object' || plan.body === null) return plan.body;
  const members = { ...(plan.body as Record<string, unknown>) };
  if (takesSudo && plan.isProvenByPassword) {
    for (const name of FACTORS) delete members[name];
    members.password = password;
  }
  if (declared.type !== 'application/x-www-form-urlencoded') return members;
  return new URLSearchParams(Object.entries(members).map(([name, value]): [string, string] => [name, String(value)]));
}

export interface Sent {
  readonly line: string;
  readonly answer: TestResponse;
}

/** Sends a plan. @throws Error with the request if the response does not match the OpenAPI document. */
export async function sendPlan(
  client: Client,
  operation: Operation,
  plan: Plan,
  known: { readonly path: Readonly<Record<string, string>>; readonly password: string },
): Promise<Sent> {
  const path = { ...plan.path, ...(plan.isMade ? known.path : {}), ...plan.fixed };
  const target = targetOf(operation, path) + queryOf(plan.query);
  const body = bodyOf(operation, plan, known.password);
  const line = curlOf(operation, target, plan, body);
  const isTyped = plan.raw !== undefined && !('content-type' in plan.headers);
  const headers = { ...(isTyped ? { 'content-type': 'application/json' } : {}), ...plan.headers };
  try {
    return { line, answer: await client.send(operation.method, target, body, { headers }) };
  } catch (error) {
    throw new Error(`${(error as Error).message}\n  ${line}`);
  }
}

const SHOWN = 600;

/** The request as a `curl` command. The kind of credential is shown instead of its value. */
function curlOf({ method }: Operation, target: string, { headers, kind, raw }: Plan, body: unknown): string {
  const shown =
    raw instanceof Uint8Array
      ? `<${Buffer.from(raw).toString('hex').slice(0, SHOWN)}>`
      : body instanceof URLSearchParams || typeof body === 'string'
        ? String(body)
        : JSON.stringify(body);
  return [
    `curl -X ${method} '${target.slice(0, SHOWN)}'`,
    ...(kind ? [`-H 'Authorization: <${kind}>'`] : []),
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value.slice(0, SHOWN)}'`),
    ...(shown === undefined ? [] : [`-d '${shown.slice(0, SHOWN)}'`]),
  ].join(' ');
}
