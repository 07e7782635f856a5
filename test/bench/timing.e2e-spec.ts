import { ServerResponse } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { BoundedQueue } from '../../src/auth/factors/passwords.service.js';
import { type Gatehouse, gatehouse, runJobs, waitForDelivery } from '../support/index.js';

const TIMING = join(import.meta.dirname, '../../bench/timing');
/** The scripts of the benchmarks have no types. */
const load = (name: string) => import(join(TIMING, name));

/** Rounds that are ignored. The first requests of a kind prepare statements and open connections. */
const WARM_UP = 2;
/** Background work does not occur in every round. Work that only one of the two requests does occurs in every round. */
const MOST_ROUNDS = WARM_UP + 12;

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly authorization?: string;
  readonly identify?: string;
}

interface Pair {
  readonly name: string;
  readonly status: number;
  prepare?(stage: unknown): Promise<unknown>;
  request(isFirst: boolean, round: number, prepared: unknown): Asked | Promise<Asked>;
  cleanUp?(stage: unknown): Promise<void>;
}

type Query = (this: unknown, ...args: unknown[]) => unknown;
type Result = { rows?: object[] } | undefined;

/**
 * Counts above this are treated as equal, because one value more makes no visible difference. For example, an account
 * may lack an email address.
 */
const MANY = 20;

/** The number of rows and of their values. Empty values do not count, because they are sent and read faster. */
function sizeOf(result: Result): string {
  const rows = result?.rows ?? [];
  const values = rows.flatMap((row) => Object.values(row)).filter((value) => value !== null);
  return `${result?.rows ? rows.length : 'no'} rows, ${Math.min(values.length, MANY)} values`;
}

/**
 * Treats both ways to end a savepoint as equal. Removes the values from `EXECUTE` statements, which contain them as
 * text because they are sent together with the commit.
 */
function kindOf(text: string): string {
  if (/^(?:RELEASE|ROLLBACK TO) SAVEPOINT/.test(text)) return 'end of a savepoint';
  return text.startsWith('EXECUTE') ? text.replace(/'[^']*'/g, '?') : text;
}

/** Records every database statement of this process, with the size of its result, and every password hash. */
function watchWork() {
  const work: string[] = [];
  const clients = pg.Client.prototype as unknown as { query: Query };
  const queues = BoundedQueue.prototype as unknown as { run: Query };
  const responses = ServerResponse.prototype as unknown as { end: Query };
  const [{ query }, { run }, { end }] = [clients, queues, responses] as const;
  let answeredAt: number | undefined;
  clients.query = function (...args) {
    const [first] = args;
    const text = kindOf(typeof first === 'string' ? first : (first as { text: string }).text);
    const place = work.push(text) - 1;
    const noted = (result: Result) => {
      work[place] = `${text} -- ${sizeOf(result)}`;
    };
    const last = args.at(-1);
    if (typeof last === 'function') {
      args[args.length - 1] = (error: unknown, result: Result) => {
        noted(result);
        last(error, result);
      };
    }
    const response = query.apply(this, args);
    if (typeof last !== 'function') (response as Promise<Result>).then(noted, () => {});
    return response;
  };
  queues.run = function (...args) {
    work.push('a password hash');
    return run.apply(this, args);
  };
  responses.end = function (...args) {
    answeredAt ??= work.length;
    return end.apply(this, args);
  };
  return {
    begin: () => {
      work.length = 0;
      answeredAt = undefined;
    },
    /**
     * Work after the HTTP response delays no caller. A connection prepares each statement only once. The journal and the
     * state of the database are read every second.
     */
    untilAnswered: () =>
      work.slice(0, answeredAt).filter((text) => !/^PREPARE|FROM journal|'journal'|pg_is_in_recovery/.test(text)),
    stop: () => {
      responses.end = end;
      clients.query = query;
      queues.run = run;
    },
  };
}

/** Whether both lists have the same elements, in any order. */
const areAlike = (one: readonly string[], other: readonly string[]): boolean =>
  without(one, other).length + without(other, one).length === 0;

/** Removes each element of `others` once from `all`. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const rest = [...others];
  return all.filter((one) => {
    const place = rest.indexOf(one);
    if (place >= 0) rest.splice(place, 1);
    return place < 0;
  });
}

describe('operations that must take equally long', () => {
  let service: Gatehouse;
  let stage: object;
  let ask: (stage: object, requested: Asked) => Promise<[status: number, microseconds: number]>;
  let pairs: readonly Pair[];
  let watched: ReturnType<typeof watchWork>;
  beforeAll(async () => {
    const { ENVIRONMENT, Stage } = await load('stage.mjs');
    pairs = (await load('pairs.mjs')).PAIRS;
    ask = (await load('ask.mjs')).ask;
    // Connections of the embedded database keep the functions that exist when the connections are created.
    watched = watchWork();
    service = await gatehouse({ env: ENVIRONMENT });
    stage = new Stage(service.url, MOST_ROUNDS, service.sql);
  });
  afterAll(async () => {
    watched.stop();
    await service.close();
  });

  async function workOf(requested: Asked): Promise<{ status: number; work: string[] }> {
    await waitForDelivery(service);
    await runJobs(service);
    watched.begin();
    const [status] = await ask(stage, requested);
    return { status, work: watched.untilAnswered() };
  }

  test('statements with their rows and password hashes are recorded', async () => {
    const login = { method: 'POST', path: '/v1/auth/login', body: { email: 'a@example.com', password: 'password 1' } };
    const { status, work } = await workOf(login);
    expect(status).toBe(400);
    expect(work).toEqual(
      expect.arrayContaining([expect.stringMatching(/FROM account.* -- 1 rows, \d+ values$/s), 'a password hash']),
    );
    const [unknown, malformed] = [`flx_${'a'.repeat(36)}`, 'flx_a'];
    const lookedUp = [expect.stringMatching(/FROM session.* -- 0 rows, 0 values$/s)];
    const shown = (authorization: string) => workOf({ path: '/v1/users/@me', authorization });
    expect(await shown(unknown)).toEqual({ status: 401, work: lookedUp });
    expect(await shown(malformed)).toEqual({ status: 401, work: [] });
    expect(await workOf({ path: '/gateway', identify: unknown })).toEqual({ status: 4004, work: lookedUp });
  });

  test('run the same statements, for as many rows, and hash as often', async () => {
    const differing: object[] = [];
    for (const pair of pairs) {
      const prepared = await pair.prepare?.(stage);
      const seen: { first: string[][]; second: string[][] } = { first: [], second: [] };
      const areOnceAlike = () => seen.first.some((one) => seen.second.some((other) => areAlike(one, other)));
      for (let round = 0; round < MOST_ROUNDS && !areOnceAlike(); round++) {
        for (const name of ['first', 'second'] as const) {
          const { status, work } = await workOf(await pair.request(name === 'first', round, prepared));
          expect({ pair: pair.name, status }).toEqual({ pair: pair.name, status: pair.status });
          if (round >= WARM_UP) seen[name].push(work);
        }
      }
      await pair.cleanUp?.(stage);
      if (!areOnceAlike()) {
        const [first, second] = [seen.first.at(-1) as string[], seen.second.at(-1) as string[]];
        differing.push({ pair: pair.name, first: without(first, second), second: without(second, first) });
      }
    }
    expect(differing).toEqual([]);
  });
});
