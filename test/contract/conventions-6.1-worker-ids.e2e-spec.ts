import pg from 'pg';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { until } from '../machine/service-process.js';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import { copyTemplate, expectApiError, type Gatehouse, gatehouse, type TestResponse } from '../support/index.js';

const LEASES = 0x6777;

describeOnPostgres('conventions.md 6.1: a worker ID is used by one process at a time', () => {
  let databaseUrl: string;
  let proxy: CuttableProxy;
  let service: Gatehouse;
  beforeAll(async () => {
    databaseUrl = (await copyTemplate()) ?? '';
    const way = await CuttableProxy.to(databaseUrl, 5432);
    proxy = way.proxy;
    service = await gatehouse({ env: { DATABASE_URL: way.url, DATABASE_PATIENCE: '1' } });
  });
  afterAll(async () => {
    await service.close();
    proxy.close();
  });

  let people = 0;
  const register = (): Promise<TestResponse> =>
    service.anonymous.post('/v1/auth/register', {
      email: `person.${++people}@example.com`,
      password: 'a long enough password',
    });

  const workerOf = ({ body }: TestResponse): number => Number((BigInt(body.user_id) >> 12n) & 1023n);

  test('after its lock is lost, no ID is generated without one, and never with that of another process', async () => {
    const worker = workerOf(await register());
    proxy.cutMatching('gatehouse notices');
    const other = new pg.Client({ connectionString: databaseUrl });
    await other.connect();
    try {
      await until(async () => {
        const { rows } = await other.query('SELECT pg_try_advisory_lock($1, $2) AS won', [LEASES, worker]);
        return rows[0].won;
      });
      await until(() => !service.app.get(ReplicaBus).hasWorkerId);
      expectApiError(await service.anonymous.get('/health/ready'), 'SERVICE_UNAVAILABLE');
      const before = await service.sql('SELECT count(*)::int AS accounts FROM account');
      for (let round = 0; round < 4; round++) {
        const response = await register();
        expectApiError(response, 'SERVICE_UNAVAILABLE');
        expect(response.headers.get('retry-after')).toBe('5');
      }
      expect(await service.sql('SELECT count(*)::int AS accounts FROM account')).toEqual(before);
      proxy.restore();
      let response = await register();
      while (response.status === 503) response = await register();
      expect(response.status).toBe(200);
      expect(workerOf(response)).not.toBe(worker);
    } finally {
      await other.end();
    }
  });
});
