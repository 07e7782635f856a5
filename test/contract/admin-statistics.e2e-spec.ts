import { administrator, superuser, withoutAudit } from '../support/admin.js';
import { runCleanup } from '../support/cleanup.js';
import { GatewayClient } from '../support/gateway-client.js';
import { expectApiError, type Gatehouse, gatehouse, type Persona, person, signIn } from '../support/index.js';

let service: Gatehouse;
let root: Persona;
beforeAll(async () => {
  service = await gatehouse();
  root = await superuser(service);
});
afterAll(() => service.close());

const STATISTICS = '/v1/admin/instance/statistics';
const statistics = async () => (await service.as(root).get(STATISTICS)).body;

describe('web.md 4 right now', () => {
  test('show the numbers of metrics, for each replica and in total', async () => {
    const before = await statistics();
    const alice = await person(service);
    await signIn(service, alice);
    expectApiError(await service.anonymous.get('/v1/users/@me'), 'UNAUTHORIZED');
    const { client } = await GatewayClient.identify(service, alice.authorization);
    const after = await statistics();
    client.socket.terminate();
    expect(after).toEqual({
      replicas: [
        {
          worker_id: expect.any(Number),
          version: 'dev',
          started_at: expect.stringMatching(/Z$/),
          seen_at: expect.stringMatching(/Z$/),
          requests: expect.any(Number),
          requests_per_second: expect.any(Number),
          refusals: expect.objectContaining({ UNAUTHORIZED: (before.total.refusals.UNAUTHORIZED ?? 0) + 1 }),
          sign_ins: before.total.sign_ins + 2,
          gateway_sockets: before.total.gateway_sockets + 1,
          event_loop_delay_ms: expect.any(Number),
        },
      ],
      total: expect.objectContaining({ replicas: 1, sign_ins: before.total.sign_ins + 2 }),
      mail_waiting: expect.any(Number),
    });
    expect(after.total.requests).toBeGreaterThanOrEqual(before.total.requests + 4);
    expect(after.total.requests_per_second).toBeGreaterThan(0);
    const text = (await service.anonymous.get('/metrics')).text;
    const signIns = [...text.matchAll(/^gatehouse_sign_ins_total\{method="\w+"\} (\d+)$/gm)];
    expect(signIns.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(after.total.sign_ins);
  });

  test('other replicas are shown with their last reported numbers until they expire', async () => {
    const there = async (worker: number, seconds: number) =>
      service.sql(
        `INSERT INTO replica_statistics (worker_id, version, started_at, seen_at, numbers)
         SELECT $1, 'v2', now(), now() - $2 * interval '1 second', numbers || '{"signIns": 5, "eventLoopDelayMs": 9999}'
         FROM replica_statistics LIMIT 1`,
        [worker, seconds],
      );
    const own = (await statistics()).replicas[0];
    await there(2000, 10);
    await there(2001, 30);
    await there(2002, 120);
    const { replicas, total } = await statistics();
    expect(replicas.map(({ worker_id, version }: typeof own) => [worker_id, version])).toEqual([
      [own.worker_id, 'dev'],
      [2000, 'v2'],
    ]);
    expect(total).toMatchObject({ replicas: 2, sign_ins: own.sign_ins + 5, event_loop_delay_ms: 9999 });
    await runCleanup(service);
    expect(await service.sql('SELECT worker_id FROM replica_statistics WHERE worker_id > 1999 ORDER BY 1')).toEqual([
      { worker_id: 2000 },
      { worker_id: 2001 },
    ]);
  });

  test('needs instance:config:view and leaves no entry', async () => {
    expectApiError(await service.as(await administrator(service)).get(STATISTICS), 'MISSING_ACL');
    const clerk = await administrator(service, 'instance:config:view');
    const { status } = await withoutAudit(service, () => service.as(clerk).get(STATISTICS));
    expect(status).toBe(200);
  });
});
