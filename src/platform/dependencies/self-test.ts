import type pg from 'pg';
import type { Config } from '../../core/config/config.js';
import { connectTo } from '../database/hosts.js';
import { DATABASE_DEPENDENCIES, READ_REPLICA_DEPENDENCY } from './database-tests.js';
import { type Dependency, type RunQuery, type TestTools, UnmetRequirement } from './dependency.js';
import { EXTERNAL_DEPENDENCIES } from './external-tests.js';
import { REDIS_DEPENDENCIES } from './redis-tests.js';

/** Everything that the service relies on outside its process. Used by the running service and by `doctor`. */
export const DEPENDENCIES: readonly Dependency[] = [
  ...DATABASE_DEPENDENCIES,
  READ_REPLICA_DEPENDENCY,
  ...REDIS_DEPENDENCIES,
  ...EXTERNAL_DEPENDENCIES,
];

export const TEST_TIMEOUT_MS = 5000;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Connection errors, lack of resources, locks, canceled statements and a shutdown of the server. */
const TEMPORARY = /^(?:08|53|55|57|EPIPE)/;

/** `cause` is null if the dependency works, and undefined if that is unknown, because its server does not respond. */
export interface TestResult {
  readonly dependency: Dependency;
  readonly cause: string | null | undefined;
  /** How to repair it. */
  readonly fix: string;
}

/** The dependencies that the settings use, by group. */
export function usedGroups(config: Config): Map<Dependency['group'], Dependency[]> {
  const groups = new Map<Dependency['group'], Dependency[]>();
  for (const dependency of DEPENDENCIES) {
    if (!dependency.isUsed(config)) continue;
    const { group } = dependency;
    groups.set(group, [...(groups.get(group) ?? []), dependency]);
  }
  return groups;
}

/**
 * Tests the dependencies of a group one after the other. The first of a group tests whether its server responds. If it
 * does not, nothing is known of the others.
 */
export async function testGroup(
  group: readonly Dependency[],
  tools: Omit<TestTools, 'ask'>,
): Promise<readonly TestResult[]> {
  const connection = new TestConnection(tools.config);
  const results: TestResult[] = [];
  try {
    let isAway = false;
    for (const [index, dependency] of group.entries()) {
      const { cause, fix = dependency.fix } = isAway
        ? { cause: undefined }
        : await tryOut(dependency, { ...tools, ask: connection.ask }, index === 0);
      if (index === 0 && cause !== null) isAway = true;
      results.push({ dependency, cause, fix });
    }
  } finally {
    connection.close();
  }
  return results;
}

type Outcome = Pick<TestResult, 'cause'> & Partial<Pick<TestResult, 'fix'>>;

async function tryOut({ test }: Dependency, tools: TestTools, isFirst: boolean): Promise<Outcome> {
  try {
    await withTimeout(test(tools));
    return { cause: null };
  } catch (error) {
    const { message, code = '' } = error as { message?: string; code?: string };
    const isKnown = isFirst || error instanceof UnmetRequirement || (SQLSTATE.test(code) && !TEMPORARY.test(code));
    return {
      cause: isKnown ? message || code || 'unknown error' : undefined,
      fix: error instanceof UnmetRequirement ? error.fix : undefined,
    };
  }
}

/** @throws what `work` throws, or an error if it takes too long */
async function withTimeout(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no response within ${TEST_TIMEOUT_MS / 1000} s`)),
      TEST_TIMEOUT_MS,
    ).unref();
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Opened by the first statement. Changed settings of the server or the role apply only to new connections. */
class TestConnection {
  private opened: Promise<pg.Client> | undefined;

  constructor(private readonly config: Config) {}

  readonly ask: RunQuery = async <R>(text: string, values: unknown[] = []) => {
    this.opened ??= this.open();
    const client = await this.opened;
    return (await client.query<R & pg.QueryResultRow>(text, values)).rows;
  };

  private open(): Promise<pg.Client> {
    return connectTo(this.config.databaseUrl ?? '', {
      connectionTimeoutMillis: TEST_TIMEOUT_MS,
      query_timeout: TEST_TIMEOUT_MS,
      application_name: 'gatehouse self-test',
    });
  }

  close(): void {
    this.opened?.then((client) => client.end()).catch(() => {});
  }
}
