import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { describeUnless, missing } from '../machine/programs.js';
import { root, text } from './repository.js';

const run = promisify(execFile);
const FILE = 'deploy/prometheus/gatehouse.rules.yml';
const OPERATOR_FILE = 'deploy/prometheus/prometheus-rule.yaml';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}
const { groups } = load(text(FILE)) as { groups: [{ rules: Rule[] }] };
const { rules } = groups[0];

/** Series and their values for 90 minutes, one per minute, in the notation of promtool. */
type Series = Readonly<Record<string, string>>;
/** The labels of the alert, the series that fire it after an hour, and similar series that do not. */
type Case = readonly [labels: Series, fires: Series, silent: Series];

const replica = (name: string, more = '') => `${name}{job="gatehouse",instance="a"${more && `,${more}`}}`;
const INSTANCE = { job: 'gatehouse', instance: 'a' };
const requests = (status: string) => replica('gatehouse_http_request_seconds_count', `status="${status}"`);
const durations = (below1: string, all: string): Series => ({
  [replica('gatehouse_http_request_seconds_bucket', 'route="/v1/users/@me",le="1"')]: below1,
  [replica('gatehouse_http_request_seconds_bucket', 'route="/v1/users/@me",le="10"')]: all,
  [replica('gatehouse_http_request_seconds_bucket', 'route="/v1/users/@me",le="+Inf"')]: all,
});
const shed = replica('gatehouse_shed_total', 'queue="work"');
const refused = replica('gatehouse_mail_total', 'type="password_reset",outcome="refused"');
const failedJobs = replica('gatehouse_jobs_failed', 'name="platform:clean_up"');
const signals = replica('gatehouse_abuse_signals_total', 'signal="rejected_credential"');
const parked = replica('gatehouse_webhook_events_total', 'sink="archive",outcome="parked"');
const failedLogouts = replica('gatehouse_backchannel_logouts_total', 'outcome="failed"');
const corrected = replica('gatehouse_request_count_corrections_total', 'count="work"');
const versionOf = (instance: string, version: string) =>
  `gatehouse_build_info{job="gatehouse",instance="${instance}",version="${version}"}`;

/** Every metric that must be present, in a service without any problem. */
const complete: Series = Object.fromEntries(
  [...(rules.find(({ alert }) => alert === 'GatehouseMetricsMissing')?.expr ?? '').matchAll(/absent\((\w+)\)/g)].map(
    ([, name]) => [replica(name as string), '1x90'],
  ),
);

const CASES: Readonly<Record<string, Case>> = {
  GatehouseDown: [INSTANCE, { [replica('up')]: '0x90' }, { [replica('up')]: '1x58 0 1x31' }],
  GatehouseMetricsMissing: [{}, { ...complete, [replica('gatehouse_ready')]: '1x50 stale' }, complete],
  GatehouseNotReady: [
    {},
    { 'gatehouse_ready{instance="a"}': '0x90', 'gatehouse_ready{instance="b"}': '1x50 0x40' },
    { 'gatehouse_ready{instance="a"}': '0x90', 'gatehouse_ready{instance="b"}': '1x90' },
  ],
  GatehouseReplicaNotReady: [
    INSTANCE,
    { [replica('gatehouse_ready')]: '1x48 0x42' },
    { [replica('gatehouse_ready')]: '1x52 0x38' },
  ],
  GatehouseDependencyFails: [
    { name: 'redis' },
    { [replica('gatehouse_dependency_up', 'name="redis"')]: '0x90' },
    { [replica('gatehouse_dependency_up', 'name="redis"')]: '0x58 1x31' },
  ],
  GatehouseHealthCheckFails: [
    { check: 'ledger' },
    { [replica('gatehouse_health_check', 'check="ledger"')]: '0x90' },
    { [replica('gatehouse_health_check', 'check="ledger"')]: '1x57 0x33' },
  ],
  GatehouseFails: [
    {},
    { [requests('200')]: '0+980x90', [requests('503')]: '0+20x90' },
    { [requests('200')]: '0+995x90', [requests('503')]: '0+5x90' },
  ],
  GatehouseSlow: [{}, durations('0+980x90', '0+1000x90'), durations('0+995x90', '0+1000x90')],
  GatehouseEventLoopLate: [
    INSTANCE,
    { [replica('nodejs_eventloop_lag_p99_seconds')]: '0.6x90' },
    { [replica('nodejs_eventloop_lag_p99_seconds')]: '0.4x90' },
  ],
  GatehouseSheds: [{ queue: 'work' }, { [shed]: '0+1x90' }, { [shed]: '0x50 1x40' }],
  GatehouseWorkerMissing: [
    INSTANCE,
    { [replica('gatehouse_workers')]: '4x40 3x50' },
    { [replica('gatehouse_workers')]: '4x40 3x5 4x45' },
  ],
  GatehouseVersionsDiffer: [
    {},
    { [versionOf('a', '1.0.0')]: '1x90', [versionOf('b', '1.1.0')]: '1x90' },
    { [versionOf('a', '1.1.0')]: '1x90', [versionOf('b', '1.1.0')]: '1x90' },
  ],
  GatehouseMailWaits: [
    {},
    { [replica('gatehouse_outbox_lag_seconds')]: '0+60x90' },
    { [replica('gatehouse_outbox_lag_seconds')]: '290x90' },
  ],
  GatehouseMailFails: [{ outcome: 'refused' }, { [refused]: '0x30 0+1x60' }, { [refused]: '0x30 5x60' }],
  GatehouseJobFailed: [{ name: 'platform:clean_up' }, { [failedJobs]: '0x59 1x31' }, { [failedJobs]: '0x90' }],
  GatehouseUnderAttack: [{}, { [signals]: '0+700x90' }, { [signals]: '0+500x90' }],
  GatehouseSinkParked: [{ sink: 'archive' }, { [parked]: '0x30 1x60' }, { [parked]: '3x90' }],
  GatehouseLogoutFails: [{}, { [failedLogouts]: '0x30 1x60' }, { [failedLogouts]: '3x90' }],
  GatehouseCountsWrong: [{ count: 'work' }, { [corrected]: '0x30 1x60' }, { [corrected]: '3x90' }],
};

const fillIn = (summary: string, labels: Series) =>
  summary.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? '');

/** A test of promtool: whether an alert fires after an hour. */
function testOf({ alert, labels, annotations }: Rule, series: Series, ofAlert: Series | null) {
  const expected = ofAlert && {
    exp_labels: { ...ofAlert, ...labels },
    exp_annotations: { ...annotations, summary: fillIn(annotations.summary, ofAlert) },
  };
  return {
    name: `${alert} ${ofAlert ? 'fires' : 'is silent'}`,
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: '60m', alertname: alert, exp_alerts: expected ? [expected] : [] }],
  };
}

describe('the alerts', () => {
  test('each has a severity, a summary and a runbook in the guides', () => {
    const runbooks = text('docs/guides/operators/alerts.md');
    const headings = [...runbooks.matchAll(/^## (Gatehouse\w+)$/gm)].map(([, name]) => name);
    expect(headings).toEqual(rules.map(({ alert }) => alert));
    for (const { alert, labels, annotations } of rules) {
      expect(['critical', 'warning']).toContain(labels.severity);
      const runbook_url = `https://id.example/guides/operators/alerts#${alert.toLowerCase()}`;
      expect(annotations).toEqual({ summary: expect.stringMatching(/^[A-Z1].{10,}[^.]$/), runbook_url });
    }
  });

  test('each metric of another alert has an alert for its absence, unless it can be absent', () => {
    const canBeAbsent = [
      'gatehouse_health_check',
      'gatehouse_webhook_events_total',
      'gatehouse_http_request_seconds_bucket',
    ];
    const used = new Set(rules.flatMap(({ expr }) => expr.match(/\b(?:gatehouse|nodejs)_\w+/g) ?? []));
    const watched = Object.keys(complete).map((series) => series.split('{')[0]);
    expect([...used].filter((name) => !canBeAbsent.includes(name)).sort()).toEqual(watched.sort());
  });

  test('the PrometheusRule has the same alerts', () => {
    const { apiVersion, kind, metadata, spec } = load(text(OPERATOR_FILE)) as Record<string, unknown>;
    expect({ apiVersion, kind, metadata }).toEqual({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { name: 'gatehouse' },
    });
    expect(spec).toEqual({ groups });
  });
});

describeUnless(missing('promtool'))('the alerts in promtool', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-alerts-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('each fires in one case and is silent in a similar one', async () => {
    expect(Object.keys(CASES)).toEqual(rules.map(({ alert }) => alert));
    const tests = rules.flatMap((rule) => {
      const [labels, fires, silent] = CASES[rule.alert] as Case;
      return [testOf(rule, fires, labels), testOf(rule, silent, null)];
    });
    const file = join(directory, 'tests.json');
    // JSON is valid YAML.
    writeFileSync(file, JSON.stringify({ rule_files: [join(root, FILE)], evaluation_interval: '1m', tests }));
    const { stdout } = await run('promtool', ['test', 'rules', file]);
    expect(stdout).toContain('SUCCESS');
  });

  test('a wrong expectation is found', async () => {
    const rule = rules[0] as Rule;
    const file = join(directory, 'wrong.json');
    const tests = [testOf(rule, CASES.GatehouseDown?.[1] as Series, null)];
    writeFileSync(file, JSON.stringify({ rule_files: [join(root, FILE)], evaluation_interval: '1m', tests }));
    await expect(run('promtool', ['test', 'rules', file])).rejects.toThrow('promtool');
  });
});
