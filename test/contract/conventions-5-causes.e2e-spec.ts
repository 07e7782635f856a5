import { Controller, Get, Module, Param } from '@nestjs/common';
import { Text } from '../../src/http/input.js';
import { Database } from '../../src/platform/database/database.js';
import { Public } from '../../src/policy/decorators.js';
import { freePort } from '../machine/ports.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import {
  copyTemplate,
  eventually,
  expectApiError,
  type Gatehouse,
  gatehouse,
  person,
  race,
  type TestResponse,
  withGatehouse,
} from '../support/index.js';

class Keys {
  @Text({ max: 20 }) first: string;
  @Text({ max: 20 }) second: string;
}

const HOLD = 'SELECT 1 FROM account WHERE id = $1 FOR UPDATE';

/** Operations that the database cancels. */
@Controller('v1/probe')
class CancelledController {
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly database: Database) {}

  @Get('statement-timeout')
  @Public()
  statement() {
    return this.database.transaction(async (tx) => {
      await tx.query('SET LOCAL statement_timeout = 1');
      await tx.query('SELECT pg_sleep(600)');
      return {};
    });
  }

  @Get('lock-timeout/:first/:second')
  @Public()
  lock(@Param() { first }: Keys) {
    return this.database.transaction(async (tx) => {
      await tx.query('SET LOCAL lock_timeout = 1');
      await tx.query(HOLD, [first]);
      return {};
    });
  }

  /** Two requests hold one row each, before each of them asks for the row of the other. */
  @Get('deadlock/:first/:second')
  @Public()
  deadlock(@Param() { first, second }: Keys) {
    return this.database.transaction(async (tx) => {
      await tx.query(HOLD, [first]);
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
        if (this.waiting.length === 2) for (const go of this.waiting.splice(0)) go();
      });
      await tx.query(HOLD, [second]);
      return {};
    });
  }
}

@Module({ controllers: [CancelledController] })
class CancelledModule {}

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly request_id?: string;
  readonly outcome?: string;
  readonly error?: {
    readonly message: string;
    readonly sqlstate?: string;
    readonly code?: string;
    readonly cause?: Line['error'];
  };
}

const WARN = 40;
const linesOf = ({ log }: Gatehouse, words: string): Line[] =>
  log.filter((line) => line.includes(words)).map((line) => JSON.parse(line));
const logged = (service: Gatehouse, words: string) =>
  eventually(`the log line "${words}"`, async () => linesOf(service, words)[0]);

describeOnPostgres('conventions.md 5: a statement that the database cancels is not an outage', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ modules: [CancelledModule] });
  });
  afterAll(() => service.close());

  // pgpool-II sometimes returns an error of its own and hides that of the server.
  const hidden = process.env.TEST_POOLER === 'pgpool' ? '|^XX000$' : '';
  async function expectCause(response: TestResponse, sqlstate: string): Promise<void> {
    const id = response.headers.get('x-request-id') as string;
    expectApiError(response, 'SERVICE_UNAVAILABLE', { request_id: id });
    expect(response.headers.get('retry-after')).toBe('5');
    const failures = linesOf(service, 'request failed').filter(({ request_id }) => request_id === id);
    expect(failures).toEqual([
      expect.objectContaining({
        level: WARN,
        outcome: 'SERVICE_UNAVAILABLE',
        error: expect.objectContaining({
          sqlstate: expect.stringMatching(new RegExp(`^${sqlstate}$${hidden}`)),
          message: expect.stringMatching(/./),
        }),
      }),
    ]);
    expect(response.text).not.toContain(sqlstate);
  }

  afterEach(async () => {
    expect((await service.anonymous.get('/health/ready')).status).toBe(200);
    expect(linesOf(service, 'the database is unavailable')).toEqual([]);
  });

  test('57014: 32 statements that exceed the timeout', async () => {
    const { responses } = await race(32, () => service.anonymous.get('/v1/probe/statement-timeout'));
    for (const response of responses) await expectCause(response, '57014');
  });

  test('55P03: a row that another transaction has locked', async () => {
    const { id } = await person(service);
    await service.app.get(Database).transaction(async (tx) => {
      await tx.query(HOLD, [id]);
      await expectCause(await service.anonymous.get(`/v1/probe/lock-timeout/${id}/${id}`), '55P03');
    });
    expect((await service.anonymous.get(`/v1/probe/lock-timeout/${id}/${id}`)).status).toBe(200);
  });

  test('40P01: one of two transactions in a deadlock', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    const { responses, statuses } = await race(2, (index) => {
      const [first, second] = index === 0 ? [alice, bob] : [bob, alice];
      return service.anonymous.get(`/v1/probe/deadlock/${first.id}/${second.id}`);
    });
    expect(statuses).toEqual({ 200: 1, 503: 1 });
    for (const response of responses) if (response.status === 503) await expectCause(response, '40P01');
  });
});

describe('conventions.md 5: the log has the cause when a part of the service fails and requests go on', () => {
  test('Redis: once, with the error of the connection', async () => {
    const REDIS_URL = `redis://127.0.0.1:${await freePort()}`;
    await withGatehouse({ env: { REDIS_URL, RATE_LIMITS: 'on' } }, async (service) => {
      const ask = () => service.anonymous.get('/.well-known/service');
      expect((await ask()).status).toBe(200);
      const words = 'Redis does not respond';
      const { level, error } = await logged(service, words);
      expect(level).toBe(WARN);
      expect([error, error?.cause]).toContainEqual(expect.objectContaining({ code: 'ECONNREFUSED' }));
      expect((await ask()).status).toBe(200);
      expect(linesOf(service, words)).toHaveLength(1);
    });
  });
});

describeOnPostgres('conventions.md 5: the log has the cause when replicas cannot share changes', () => {
  test('the notification connection: its loss, and once why reconnecting fails', async () => {
    const { proxy, url: DATABASE_URL } = await CuttableProxy.to((await copyTemplate()) as string, 5432);
    await withGatehouse({ env: { DATABASE_URL } }, async (service) => {
      const alice = await person(service);
      proxy.cutMatching('gatehouse notices');
      const lost = await logged(service, 'the PostgreSQL LISTEN connection was lost: reconnecting');
      const failed = await logged(service, 'connecting for PostgreSQL LISTEN failed');
      for (const { level, error } of [lost, failed]) {
        expect(level).toBe(WARN);
        expect(error?.message).toMatch(/Connection terminated|ECONNRESET/);
      }
      expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
      const again = () => linesOf(service, 'connecting for PostgreSQL LISTEN failed');
      await eventually('a second failure', async () => (again().length > 1 ? true : undefined));
      expect(again().filter(({ level }) => level === WARN)).toHaveLength(1);
      proxy.restore();
    });
    proxy.close();
  });

  test('reads of the journal: once, with the error of the database', async () => {
    await withGatehouse({}, async (service) => {
      const alice = await person(service);
      await service.idle();
      await service.sql('ALTER TABLE journal RENAME TO elsewhere');
      const { level, error } = await logged(service, 'reading the event journal failed');
      expect([level, error?.sqlstate]).toEqual([WARN, '42P01']);
      expect(error?.message).toContain('journal');
      expect((await service.as(alice).get('/v1/users/@me')).status).toBe(200);
      await service.sql('ALTER TABLE elsewhere RENAME TO journal');
      expect(linesOf(service, 'reading the event journal failed')).toHaveLength(1);
    });
  });
});
