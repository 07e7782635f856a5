import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const SOURCES = join(ROOT, 'src');

/** Calls of each mechanism in the table of ARCHITECTURE.md. */
const CALLS: Readonly<Record<string, RegExp>> = {
  Journal: /[rR]eplica(?:Bus)?\.(?:on|follow|announce|announceEvent)[<(]|\.withCommit\(/,
  'Lifecycle event': /lifecycle\.emit\(/,
  Job: /jobs\.enqueue\(|[cC]leanup\)?\.add(?:Expiry)?\(/,
  Outbox: /new PollingWorker\(/,
  Process: /setInterval\(|\.onCommit\(|\.beforeCommit\(|background\.run(?:Later)?\(/,
};

/** Scripts of `.page.ts` run in browsers. */
const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !/\.(?:spec|page)\.ts$/.test(path),
);
const [, section = ''] = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').split(
  '## Work after a commit, on a timer',
);
const rows = new Map(
  [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (\w[\w ]*) \| .* \| (.*) \|$/gm)].map(([, mechanism, files]) => [
    mechanism,
    [...(files ?? '').matchAll(/`([^`]+)`/g)].map(([, path]) => path).sort(),
  ]),
);

test.each(Object.entries(CALLS))(
  'ARCHITECTURE.md lists every file that uses the mechanism "%s"',
  (mechanism, calls) => {
    const found = sources.filter((path) => calls.test(readFileSync(join(SOURCES, path), 'utf8'))).sort();
    expect(found.length).toBeGreaterThan(0);
    expect(rows.get(mechanism)).toEqual(found);
  },
);

test('only the runner of jobs polls a table besides the outboxes', () => {
  expect(rows.get('Outbox')).toHaveLength(4);
});
