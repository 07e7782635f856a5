import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dump, load } from 'js-yaml';
import { freePort } from '../machine/ports.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { describeUnless, missing } from '../machine/programs.js';
import { endProcesses, identify, ServiceProcess } from '../machine/service-process.js';
import { copyTemplate, eventually, type Persona, person, signIn } from '../support/index.js';
import { root, text } from './repository.js';

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}
const { panels } = JSON.parse(text('deploy/grafana/gatehouse.json')) as { panels: Panel[] };
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [`${title}: ${expr}`, expr] as const));

/** How long requests are sent, at a scrape interval of one second. */
const LOAD_MS = 12_000;
const RATE_INTERVAL = '10s';

const noPrometheus = missing('prometheus');
// The embedded database is not a dependency that can fail.
const describeWithPrometheus = noPrometheus ? describeUnless(noPrometheus) : describeOnPostgres;

describeWithPrometheus('Prometheus with the files of deploy/prometheus', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-prometheus-'));
  let service: ServiceProcess;
  let alice: Persona;
  let prometheus: ChildProcess;
  let url: string;
  let log = '';

  async function ask<T>(path: string): Promise<T> {
    const response = await fetch(`${url}/api/v1/${path}`);
    const { status, data, error } = (await response.json()) as { status: string; data: T; error?: string };
    expect([status, error]).toEqual(['success', undefined]);
    return data;
  }
  const valuesOf = async (expression: string): Promise<number[]> => {
    const path = `query?query=${encodeURIComponent(expression)}`;
    const { result } = await ask<{ result: { value: [number, string] }[] }>(path);
    return result.map(({ value }) => Number(value[1]));
  };

  /** Successful and rejected requests, sign-ins and emails, one after another. */
  async function sendMixedLoad(): Promise<void> {
    const end = performance.now() + LOAD_MS;
    while (performance.now() < end) {
      await service.as(alice).get('/v1/users/@me');
      await service.as('Bearer nothing').get('/v1/users/@me');
      await service.anonymous.get('/nowhere');
      await signIn(service, alice);
      await service.anonymous.post('/v1/auth/forgot', { email: alice.email });
      await delay(500);
    }
  }

  beforeAll(async () => {
    service = await ServiceProcess.ready({ DATABASE_URL: await copyTemplate() });
    alice = await person(service, 'alice');
    await identify(service, alice.authorization);
    const shipped = load(text('deploy/prometheus/prometheus.yml')) as {
      global: object;
      scrape_configs: [{ job_name: string; static_configs: [{ targets: string[] }] }];
    };
    shipped.global = { scrape_interval: '1s', evaluation_interval: '1s' };
    shipped.scrape_configs[0].static_configs[0].targets = [new URL(service.url).host];
    writeFileSync(join(directory, 'prometheus.yml'), dump(shipped));
    const rules = readFileSync(join(root, 'deploy/prometheus/gatehouse.rules.yml'));
    writeFileSync(join(directory, 'gatehouse.rules.yml'), rules);
    const address = `127.0.0.1:${await freePort()}`;
    url = `http://${address}`;
    prometheus = spawn('prometheus', [
      `--config.file=${join(directory, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=${address}`,
    ]);
    prometheus.stderr?.on('data', (chunk) => {
      log += chunk;
    });
    await eventually(`Prometheus: ${log}`, async () => {
      const ready = await fetch(`${url}/-/ready`).catch(() => undefined);
      return ready?.ok ? true : undefined;
    });
    await sendMixedLoad();
  });
  afterAll(async () => {
    prometheus.kill();
    await once(prometheus, 'exit');
    rmSync(directory, { recursive: true, force: true });
    await endProcesses();
  });

  test('the dashboard has queries', () => {
    expect(queries.length).toBeGreaterThan(15);
  });

  test.each(queries)('after some load, a query of the dashboard returns data: %s', async (_, query) => {
    const values = await valuesOf(query.replaceAll('$__rate_interval', RATE_INTERVAL));
    expect(values.length).toBeGreaterThan(0);
    expect(values.some(Number.isFinite)).toBe(true);
  });

  test('every rule can be evaluated, and no alert fires', async () => {
    type Rule = { name: string; health: string; lastError?: string; state: string };
    const { groups } = await ask<{ groups: { rules: Rule[] }[] }>('rules');
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(15);
    for (const { name, health, lastError, state } of rules)
      expect([name, health, lastError, state === 'firing']).toEqual([name, 'ok', undefined, false]);
    expect(await valuesOf('ALERTS{alertname="GatehouseMetricsMissing"}')).toEqual([]);
  });

  test('each combination of labels is a series of its own, without a conflict with the labels of the target', async () => {
    expect(
      await valuesOf('count by (name) (gatehouse_job_runs_total{name="platform:clean_up",job="gatehouse"})'),
    ).toEqual([3]);
    expect(await valuesOf('{__name__=~"gatehouse_.+",exported_job!=""}')).toEqual([]);
  });
});
