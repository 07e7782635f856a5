import { isAt, type Operation } from './operations.js';
import { targetOf } from './requests.js';
import { creatorOf, PASSWORD, type Stage } from './stage.js';

/** Pages with the path of an operation. The OpenAPI document does not list pages. */
const PAGES: ReadonlySet<string> = new Set(['GET /oauth2/logout']);

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'];

/** Checks that other methods of the path and neighboring paths return 404, unless an operation is defined there. */
export async function checkPlaces(operation: Operation, { service, operations }: Stage): Promise<string[]> {
  const target = targetOf(operation, {});
  const isThere = (method: string, path: string) =>
    operations.some((other) => other.method === method && isAt(other.path, path));
  const absent = [
    ...METHODS.map((method) => [method, target] as const),
    ...[`${target}/`, `${target}/x/y/z`, target.replace(/[a-z]/, (letter) => letter.toUpperCase())].map(
      (path) => [operation.method, path] as const,
    ),
  ].filter(([method, path]) => !isThere(method, path) && !PAGES.has(`${method} ${path}`));
  const surprises: string[] = [];
  for (const [method, path] of absent) {
    const { status, body, headers, text } = await service.anonymous.send(method, path);
    const isNothing = status === 404 && body?.code === 'NOT_FOUND' && !headers.has('allow');
    if (!isNothing) surprises.push(`nothing is at ${method} ${path}, and yet ${status} ${text.slice(0, 200)}`);
  }
  return surprises;
}

/**
 * Creates a resource, deletes it and calls every operation that names it, which must return 404. Returns `undefined` if
 * no operation creates such a resource.
 */
export async function checkAfterDeletion(
  deletion: Operation,
  stage: Stage,
  plansFor: PlanMaker,
): Promise<string[] | undefined> {
  const { service, operations } = stage;
  const [, name] = /\{(\w+)\}$/.exec(deletion.path) ?? [];
  const owner = name && deletion.path.slice(0, deletion.path.lastIndexOf('/{'));
  const creator = name === 'token' ? creatorOf(operations, owner as string) : creatorOf(operations, deletion.path);
  const made =
    name === undefined || creator === undefined ? undefined : await stage.make(creator, name === 'token' ? 'id' : name);
  if (!made?.isMinted) return undefined;
  const call = async (operation: Operation) => {
    const kind = operation.credentials[0] ?? '';
    const { body } = plansFor(operation);
    const members = operation.takesSudo ? { ...(body as object), password: PASSWORD } : body;
    const sent = operation.body || operation.takesSudo ? members : undefined;
    const target = targetOf(operation, made.path);
    return (await stage.callerOf(operation, kind)).send(operation.method, target, sent);
  };
  const { status, text } = await call(deletion);
  if (status >= 300) return [`what was made for ${deletion.path} cannot be deleted: ${status} ${text.slice(0, 300)}`];
  const surprises: string[] = [];
  for (const user of operations) {
    if (user.path !== deletion.path && !user.path.startsWith(`${deletion.path}/`)) continue;
    const response = await call(user);
    if (response.status !== 404) {
      surprises.push(
        `after DELETE ${deletion.path}: ${user.method} ${user.path} ${response.status} ${response.text.slice(0, 300)}`,
      );
    }
  }
  await service.idle();
  return surprises;
}

export type PlanMaker = (operation: Operation) => {
  readonly body: unknown;
};
