import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

const root = join(import.meta.dirname, '../..');
const bench = join(root, 'bench');
const read = (...path: string[]) => readFileSync(join(...path), 'utf8');
const load = (name: string) => import(join(bench, 'peers', name));

interface Bar {
  name: string;
  value: number;
  figure: string;
  kind?: string;
}

/** A run in which each subject takes longer than the one before: 100 us, 200 us, ... */
async function fixedRun() {
  const { SUBJECTS } = await load('subjects.mjs');
  const having = (job: string) => Object.keys(SUBJECTS).filter((name) => SUBJECTS[name][job]);
  const rows = (names: string[], floor = 0) => {
    const row = (n: number) => ({
      requestsPerSecond: 10_000 / (n + 1),
      cpuMicroseconds: 100 * (n + 1) + floor,
      databaseMicroseconds: 7,
      p50: n + 0.5,
      p99: n + 1.5,
      requests: 500,
    });
    return Object.fromEntries(names.map((name, n) => [name, row(n)]));
  };
  const meanwhile = (name: string) => [name, { idle: { p50: 1, p99: 2 }, busy: { p50: 2, p99: 5 } }];
  const started = (name: string) => [name, { milliseconds: 250, idleMib: 60, loadedMib: 90 }];
  const signingIn = having('login');
  return {
    date: '2020-02-03',
    machine: {
      processor: 'A <processor> & more',
      cores: 2,
      memoryGib: 8,
    },
    load: Object.fromEntries(
      ['caller', 'oauth', 'signIn', 'gateway', 'start'].map((job) => [
        job,
        { before: [0.1, 0.2, 0.3], after: [1, 2, 3] },
      ]),
    ),
    versions: { node: '20.0.0', postgresql: '15.1', 'better-auth': '1.2.3' },
    sources: 'f00d',
    conditions: { rounds: 5, seconds: 2, starts: 3, connectionsToDatabase: 5, pinned: 'nothing' },
    caller: { fixedRate: 70, connections: 32, rows: rows(having('caller')) },
    signIn: {
      fixedRate: 3,
      connections: 8,
      rows: rows(signingIn),
      meanwhile: { rate: 70, rows: Object.fromEntries(signingIn.slice(1).map(meanwhile)) },
    },
    oauth: ['code exchange', 'refresh', 'introspection'].map((name) => ({
      name,
      fixedRate: 40,
      connections: 32,
      rows: rows(having('token')),
    })),
    gateway: { rows: rows(['plain ws and a statement', 'Gatehouse, Fastify']) },
    start: { rows: Object.fromEntries(['bare node:http', 'Gatehouse, Fastify'].map(started)) },
  };
}

/** The elements that are not closed in the order that XML requires. Empty if the document is balanced. */
function unbalanced(svg: string): string[] {
  const open: string[] = [];
  for (const [, closing, name, alone] of svg.matchAll(/<(\/?)([a-z]+)(?:\s[^<>]*?)?(\/?)>/g)) {
    if (closing) {
      if (open.pop() !== name) return [...open, name as string];
    } else if (!alone) open.push(name as string);
  }
  return open;
}

describe('benchmarks', () => {
  test('every server and every part parses', () => {
    const files = ['', 'servers', 'peers', 'timing', 'chaos'].flatMap((folder) =>
      readdirSync(join(bench, folder))
        .filter((name) => name.endsWith('.mjs'))
        .map((name) => join(bench, folder, name)),
    );
    expect(files.length).toBeGreaterThan(20);
    const faults = files.flatMap((file) => {
      try {
        parseSync(readFileSync(file, 'utf8'), { syntax: 'ecmascript', target: 'es2022' });
        return [];
      } catch (error) {
        return [[file, error]];
      }
    });
    expect(faults).toEqual([]);
  });

  test('every measured peer has a server, and every package that a server imports is listed', async () => {
    const { SUBJECTS } = await load('subjects.mjs');
    const { dependencies } = JSON.parse(read(bench, 'package.json'));
    const service = JSON.parse(read(root, 'package.json'));
    const known = { ...dependencies, ...service.dependencies, ...service.peerDependencies };
    const servers = readdirSync(join(bench, 'servers'));
    for (const { script, ours } of Object.values<{ script: string; ours?: boolean }>(SUBJECTS)) {
      if (!ours) expect(servers).toContain(script.split('/').pop());
    }
    for (const name of servers) {
      for (const [, from = ''] of read(bench, 'servers', name).matchAll(
        /\bfrom '([^'.][^']*)'|import\('([^'.]+)'\)/g,
      )) {
        const packageName = from
          .split('/')
          .slice(0, from.startsWith('@') ? 2 : 1)
          .join('/');
        if (from && !from.startsWith('node:'))
          expect([name, Object.keys(known)]).toEqual([name, expect.arrayContaining([packageName])]);
      }
    }
  });

  test('the lock file matches the package, and names no registry', () => {
    const lock = JSON.parse(read(bench, 'package-lock.json'));
    expect(lock.packages[''].dependencies).toEqual(JSON.parse(read(bench, 'package.json')).dependencies);
    expect(read(bench, 'package-lock.json')).not.toContain('"resolved"');
  });

  test('percentiles are by rank', async () => {
    const { percentile } = await load('load.mjs');
    const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect([0.5, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([50, 99, 100]);
    expect(percentile([7], 0.99)).toBe(7);
  });
});

describe('reports of a run', () => {
  test('tables have ratios to the baseline of the same run, and every row has as many cells as the head', async () => {
    const { summary, markdownTable } = await load('report.mjs');
    const tables: string[][][] = summary(await fixedRun());
    for (const [head, ...rows] of tables) expect(rows.map((row) => row.length)).toEqual(rows.map(() => head?.length));
    const [caller] = tables;
    const service = caller?.find(([name]) => name === 'Gatehouse, Fastify');
    expect(service).toEqual(['Gatehouse, Fastify', 'the database', '2000', '0.20', '500', '5.00', '7.0', '4.5', '5.5']);
    expect(
      markdownTable([
        ['a', 'b'],
        ['c', '1'],
      ]),
    ).toBe('| a | b |\n| --- | --: |\n| c | 1 |');
  });

  test('targets are reported as met only if they are', async () => {
    const { summary } = await load('report.mjs');
    const run = await fixedRun();
    const met = () =>
      Object.fromEntries(
        summary(run)
          .at(-1)
          .map((row: string[]) => [row[0], row.at(-1)]),
      );
    expect(met()).toMatchObject({ 'P1 session, Fastify: of bare': 'no', 'P1 processor time x bare': 'no' });
    const row = run.caller.rows['Gatehouse, Fastify'];
    Object.assign(row ?? {}, { requestsPerSecond: 3600 });
    expect(met()).toMatchObject({ 'P1 session, Fastify: of bare': 'by one of the two' });
    Object.assign(row ?? {}, { cpuMicroseconds: 250 });
    expect(met()).toMatchObject({ 'P1 session, Fastify: of bare': 'yes', 'P1 processor time x bare': 'yes' });
    expect(met()['P6 p99 of GETs while others sign in x idle, Gatehouse, Fastify']).toBe('yes');
  });

  test('a chart describes itself in words, escapes its input, and scales bars to the longest', async () => {
    const { barChart } = await load('chart.mjs');
    const bars: Bar[] = [
      { name: 'one & <two>', value: 10, figure: '10 "us"', kind: 'ours' },
      { name: 'three', value: 40, figure: '40 us' },
    ];
    const svg: string = barChart({ title: 'A title', what: ['What it is'], groups: [{ name: 'A group', bars }] });
    expect(unbalanced(svg)).toEqual([]);
    expect(svg).toContain('role="img" aria-labelledby="title desc"');
    expect(svg).toContain('<title id="title">A title</title>');
    expect(svg).toContain(
      '<desc id="desc">What it is A group, one &amp; &lt;two&gt;: 10 &quot;us&quot;; A group, three: 40 us.</desc>',
    );
    const widths = [...svg.matchAll(/class="bar"[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));
    expect(widths).toHaveLength(2);
    expect(widths[0]).toBeCloseTo((widths[1] as number) / 4, 0);
    expect(svg).toContain('prefers-color-scheme: dark');
  });

  test('the charts of a run are complete, and their figures stay inside', async () => {
    const { charts } = await load('report.mjs');
    for (const svg of Object.values<string>(charts(await fixedRun()))) {
      expect(unbalanced(svg)).toEqual([]);
      expect(svg).not.toMatch(/NaN|undefined|Infinity/);
      const width = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
      for (const [, x, words] of svg.matchAll(/class="figure" x="([\d.]+)"[^>]*>([^<]*)</g)) {
        expect(Number(x) + (words as string).length * 7.6).toBeLessThan(width);
      }
    }
  });

  test('docs/performance.md contains the part of a run between its marks, and its other text is unchanged', async () => {
    const { withPerformancePart } = await load('report.mjs');
    const run = await fixedRun();
    const page = read(root, 'docs/performance.md');
    const once = withPerformancePart(page, run);
    expect(once).toContain('[Tables and targets](../bench/results/2020-02-03.md)');
    expect(withPerformancePart(once, run)).toBe(once);
    expect(() => withPerformancePart('no marks', run)).toThrow('marks');
  });

  test('the committed texts were generated from the committed figures', async () => {
    const { charts, markdown, performancePart, written } = await load('report.mjs');
    const run = written();
    const marked = /<!-- written by npm run bench -- peers -->([\s\S]*)<!-- up to here -->/;
    const reported = marked.exec(read(root, 'docs/performance.md'));
    if (!run) {
      expect(reported?.[1]?.trim()).toBe('');
      return;
    }
    expect(reported?.[0]).toBe(performancePart(run));
    const results = join(bench, 'results');
    expect(read(results, `${run.date}.md`)).toBe(markdown(run));
    for (const [name, svg] of Object.entries(charts(run))) expect(read(results, `${name}.svg`)).toBe(svg);
  });
});
