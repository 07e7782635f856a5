import { createCredentialSet, type Gatehouse, gatehouse } from '../../test/support/index.js';
import { beyondLimitsSql, withinLimitsSql } from './session-limits.js';

const NONE = { sessionMaxSeconds: 0, sessionIdleSeconds: 0 };
const MAX_AGE = { ...NONE, sessionMaxSeconds: 3600 };
const MAX_IDLE = { ...NONE, sessionIdleSeconds: 1800 };
const BOTH = { sessionMaxSeconds: 3600, sessionIdleSeconds: 1800 };

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse();
});
afterAll(() => service.close());

/** Creates a session that was created and last used the given numbers of seconds ago. */
async function createSession(created: number, used: number, isRevoked = false): Promise<string> {
  const { accountId } = await createCredentialSet(service);
  await service.sql(
    `UPDATE session SET created_at = now() - $2 * interval '1 second', last_used_at = now() - $3 * interval '1 second',
       revoked_at = CASE WHEN $4 THEN now() END WHERE account_id = $1`,
    [accountId, created, used, isRevoked],
  );
  return accountId;
}

/** Returns which of these sessions are live, and which ones the cleanup ends. */
async function classifySessions(limits: typeof NONE, ids: readonly string[]) {
  const read = async (condition: string) => {
    const rows = await service.sql(`SELECT account_id FROM session WHERE account_id = ANY ($1) AND ${condition}`, [
      ids,
    ]);
    return ids.filter((id) => rows.some(({ account_id }) => account_id === id));
  };
  const over = beyondLimitsSql(limits);
  const live = await read(`revoked_at IS NULL${withinLimitsSql(limits)}`);
  const named = await service.sql(
    `SELECT account_id FROM session s WHERE account_id = ANY ($1) AND revoked_at IS NULL${withinLimitsSql(limits, 's')}`,
    [ids],
  );
  expect(named.map(({ account_id }) => account_id).toSorted()).toEqual(live.toSorted());
  return { live, ending: over === null ? [] : await read(over) };
}

describe('auth.md 1.7: the lifetime of a session', () => {
  test.each<[name: string, limits: typeof NONE, ages: [created: number, used: number][], live: boolean[]]>([
    [
      'as long as nobody ends it, without limits',
      NONE,
      [
        [0, 0],
        [315_360_000, 315_360_000],
      ],
      [true, true],
    ],
    [
      'since it began, however much it is used',
      MAX_AGE,
      [
        [3580, 3580],
        [3620, 0],
        [3620, 3620],
      ],
      [true, false, false],
    ],
    [
      'since its last use, a minute more for one that is not written yet',
      MAX_IDLE,
      [
        [86_400, 1840],
        [86_400, 1880],
        [86_400, 0],
        [1840, 1840],
      ],
      [true, false, true, true],
    ],
    [
      'by both limits',
      BOTH,
      [
        [3580, 1840],
        [3580, 1880],
        [3620, 0],
        [1900, 1880],
        [0, 0],
      ],
      [true, false, false, false, true],
    ],
  ])('%s', async (_name, limits, ages, live) => {
    const ids = await Promise.all(ages.map(([created, used]) => createSession(created, used)));
    const { live: found, ending } = await classifySessions(limits, ids);
    expect(ids.map((id) => found.includes(id))).toEqual(live);
    expect(ids.map((id) => ending.includes(id))).toEqual(live.map((lives) => !lives));
  });

  test('a revoked one is not active, and needs no further end', async () => {
    const ids = [await createSession(0, 0, true), await createSession(7200, 7200, true)];
    for (const limits of [MAX_AGE, MAX_IDLE, BOTH])
      expect(await classifySessions(limits, ids)).toEqual({ live: [], ending: [] });
  });

  test('without limits nothing is searched for', () => {
    expect(withinLimitsSql(NONE)).toBe('');
    expect(beyondLimitsSql(NONE)).toBeNull();
  });

  test('sessions to end are found by their creation time and the shortest limit', () => {
    expect(beyondLimitsSql(MAX_AGE)).toContain("created_at < now() - interval '3600 seconds'");
    expect(beyondLimitsSql(MAX_IDLE)).toContain("created_at < now() - interval '1800 seconds'");
    expect(beyondLimitsSql(BOTH)).toContain("created_at < now() - interval '1800 seconds'");
  });
});
