import type { Gatehouse } from '../support/index.js';
import type { Operation } from './operations.js';
import { type Plan, sendPlan } from './requests.js';
import { PASSWORD, type Stage } from './stage.js';

const [U, A] = ['UNAUTHORIZED', 'ACCESS_DENIED'];

/** The error code for each kind of credential that a policy does not accept (credentials.md sections 3 and 4). */
const REFUSALS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Authenticated: { none: U, bearer: A, 'admin-key': U },
  UserOnly: { none: U, bot: A, bearer: A, 'admin-key': U },
  BotOnly: { none: U, session: A, bearer: A, 'admin-key': U },
  BearerOnly: { none: U, session: U, bot: U, 'admin-key': U },
  AdminAcl: { none: U, bot: U, bearer: A, 'admin-key': U },
  ClientAuth: Object.fromEntries(
    ['none', 'session', 'bot', 'bearer', 'admin-key'].map((kind) => [kind, 'INVALID_CLIENT']),
  ),
};

/** Credentials that the operation rejects: title, value and expected error code. */
async function refusedBy(operation: Operation, stage: Stage): Promise<[title: string, value: string, code: string][]> {
  const table = REFUSALS[operation.policy];
  if (!table) return [];
  const worn = await stage.actor();
  const values: [title: string, value: string, kind: string][] = [
    ['none', '', 'none'],
    ['a malformed one', worn.bot.replace(' ', '  '), 'none'],
    ['an unknown session', worn.session.replace(/.{8}$/, 'AAAAAAAA'), 'none'],
    ['an unknown key', worn.adminKey.replace(/.{8}$/, 'AAAAAAAA'), 'none'],
    ['an unknown bearer', worn.bearer.replace(/.{8}$/, 'AAAAAAAA'), 'none'],
    ['session', worn.session, 'session'],
    ['bot', worn.bot, 'bot'],
    ['bearer', worn.bearer, 'bearer'],
    ['admin-key', worn.adminKey, 'admin-key'],
  ];
  return values.flatMap(([title, value, kind]) => {
    // Admin operations accept only bearer tokens of the built-in application, not those of ordinary ones.
    const isTaken = operation.credentials.includes(kind) && !(operation.policy === 'AdminAcl' && kind === 'bearer');
    if (isTaken) return [];
    const isTaught = operation.path === '/v1/applications/@me' && !/bot|malformed/.test(title);
    return [[title, value, isTaught ? 'INVALID_TOKEN' : (table[kind] ?? 'nothing')] as const];
  }) as [string, string, string][];
}

/** A checksum of the content of every table, without what is recorded on a timer: the last activity, replicas. */
async function contents(service: Gatehouse): Promise<Map<string, string>> {
  await service.idle();
  const tables = await service.sql(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'replica_statistics' ORDER BY 1`,
  );
  const sums = tables.map(
    ({ name }) => `SELECT '${name}' AS name, count(*) || ':' || coalesce(sum(hashtextextended((to_jsonb(t) -
      '{last_used_at,last_active_at,last_active_ip}'::text[])::text, 0)::numeric), 0) AS sum FROM "${name}" t`,
  );
  return new Map((await service.sql(sums.join(' UNION ALL '))).map(({ name, sum }) => [name, sum]));
}

/**
 * Checks that each credential that the operation does not accept gets the error that the order of outcomes defines, and
 * changes nothing.
 */
export async function checkCredentials(operation: Operation, stage: Stage, plan: Plan): Promise<string[]> {
  const path = await stage.pathOf(operation);
  const cases = await refusedBy(operation, stage);
  if (cases.length === 0) return [];
  const before = await contents(stage.service);
  const surprises: string[] = [];
  for (const [title, value, code] of cases) {
    const client = value === '' ? stage.service.anonymous : stage.service.as(value);
    const kind = title === 'none' ? '' : title;
    const { answer: response, line } = await sendPlan(
      client,
      operation,
      { ...plan, kind },
      { path, password: PASSWORD },
    );
    if (response.body?.code !== code) {
      surprises.push(
        `credential ${title}: not ${code} but ${response.status} ${response.text.slice(0, 300)}\n  ${line}`,
      );
    }
  }
  const after = await contents(stage.service);
  for (const [table, sum] of after) {
    if (before.get(table) !== sum) surprises.push(`a refused credential changed the table ${table}`);
  }
  return surprises;
}
