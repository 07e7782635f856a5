import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayClient } from '../support/gateway-client.js';
import { eventually, type Gatehouse, gatehouse, type Persona, person, waitForDelivery } from '../support/index.js';

const dashboard = readFileSync(join(import.meta.dirname, '..', '..', 'deploy', 'grafana', 'gatehouse.json'), 'utf8');

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse({ env: { TRUSTED_PROXIES: '127.0.0.9' } });
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

const scrape = async () => (await service.anonymous.get('/metrics')).text;

/** Returns the value of a series, given its name and labels as printed. Returns 0 if the series does not exist. */
async function seriesOf(series: string): Promise<number> {
  const line = (await scrape()).split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

/** Returns by how much a series increases while `work` runs. */
async function growth(series: string, work: () => Promise<unknown>): Promise<number> {
  const before = await seriesOf(series);
  await work();
  await service.idle();
  return (await seriesOf(series)) - before;
}

describe('conventions.md 13 metrics', () => {
  test('requests are timed by method, route template, policy and status', async () => {
    const labels = 'method="GET",route="/v1/users/@me",policy="Authenticated",status="200"';
    const count = `gatehouse_http_request_seconds_count{${labels}}`;
    expect(await growth(count, () => service.as(alice).get('/v1/users/@me'))).toBe(1);
  });

  test.each([
    ['UNAUTHORIZED', () => service.as('Bearer nothing').get('/v1/users/@me')],
    ['NOT_FOUND', () => service.anonymous.get('/nowhere')],
    ['SUDO_MODE_REQUIRED', () => service.as(alice).post('/v1/users/@me/disable', {})],
  ])('an error is counted by its code: %s', async (code, work) => {
    expect(await growth(`gatehouse_refusals_total{code="${code}"}`, work)).toBe(1);
  });

  test('abuse signals of public addresses are counted by kind', async () => {
    const stranger = (authorization: string) =>
      service.as(authorization).from('127.0.0.9').with({ 'x-forwarded-for': '8.8.4.4' });
    const rejected = 'gatehouse_abuse_signals_total{signal="rejected_credential"}';
    expect(await growth(rejected, () => stranger('Bearer nothing').get('/v1/users/@me'))).toBe(1);
    for (let index = 0; index < 20; index++) await stranger(`Bearer nothing${index}`).get('/v1/users/@me');
    const bans = () => seriesOf('gatehouse_abuse_signals_total{signal="ban"}');
    await eventually('a ban', async () => ((await bans()) > 0 ? true : undefined));
  });

  test('waiting email is reported with its age', async () => {
    await waitForDelivery(service);
    expect([await seriesOf('gatehouse_outbox_waiting'), await seriesOf('gatehouse_outbox_lag_seconds')]).toEqual([
      0, 0,
    ]);
    await service.sql(
      `INSERT INTO outbox (id, type, recipient, created_at, next_attempt_at)
       VALUES (1, 'password_reset', 'a@example.com', now() - interval '90 seconds', now() + interval '1 day')`,
    );
    expect(await seriesOf('gatehouse_outbox_waiting')).toBe(1);
    expect(await seriesOf('gatehouse_outbox_lag_seconds')).toBeGreaterThanOrEqual(90);
    await service.sql('DELETE FROM outbox WHERE id = 1');
  });

  test('gateway sockets and sessions are counted, including retained sessions', async () => {
    const { client } = await GatewayClient.identify(service, alice.authorization);
    const counts = () =>
      Promise.all(['sockets', 'sessions', 'sessions_retained'].map((name) => seriesOf(`gatehouse_gateway_${name}`)));
    expect(await counts()).toEqual([1, 1, 0]);
    await client.terminate();
    expect(await counts()).toEqual([0, 1, 1]);
  });

  test('counters start at 0, for every value of a label that is known during startup', async () => {
    const started = (await scrape()).split('\n').filter((line) => line.endsWith(' 0'));
    for (const series of [
      'gatehouse_refusals_total{code="GLOBAL_IP_BANNED"}',
      'gatehouse_refusals_total{code="TOO_SLOW"}',
      'gatehouse_shed_total{queue="work"}',
      'gatehouse_shed_total{queue="password_hashes"}',
      'gatehouse_shed_total{queue="images"}',
      'gatehouse_mail_total{type="password_reset",outcome="refused"}',
      'gatehouse_job_runs_total{name="platform:clean_up",outcome="failed"}',
      'gatehouse_jobs_failed{name="platform:clean_up"}',
      'gatehouse_backchannel_logouts_total{outcome="failed"}',
      'gatehouse_request_count_corrections_total{count="work"}',
      'gatehouse_redis_losses_total',
    ])
      expect(started).toContain(`${series} 0`);
  });

  test('no label contains an ID, an address or a secret', async () => {
    const text = await scrape();
    for (const secret of [alice.id, alice.authorization, alice.email, '127.0.0.1', '8.8.4.4', 'nothing']) {
      expect(text).not.toContain(secret);
    }
  });

  test('all metrics of the example dashboard exist', async () => {
    const known = [...(await scrape()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    const shown = new Set(dashboard.match(/\b(?:gatehouse|process|nodejs)_[a-z0-9_]+/g));
    expect(shown.size).toBeGreaterThan(8);
    for (const name of shown) expect(known).toContain(name.replace(/_(?:count|bucket)$/, ''));
  });
});
