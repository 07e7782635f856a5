import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../../src/cli/commands.js';
import { execute } from '../../src/cli/execute.js';
import { blocksOf } from '../machine/guides.js';

const PAGE = 'docs/guides/operators/runbooks.md';
const INCIDENTS = [
  ...['Compromised account', 'Leaked bot token', 'Lost authenticator', 'Who signed in from where'],
  ...['Flood from one subnet', 'Wrong captcha settings', 'Administrator who left', 'Wrong change of single sign-on'],
  ...['Database restart', 'Database failover', 'Restore', 'Redis lost', 'Redis failover', 'Secret rotation'],
  ...['Full media disk', 'Rolling upgrade', 'Rollback', 'New replica', 'Replace workers', 'Clock step'],
];
const text = readFileSync(join(import.meta.dirname, '../..', PAGE), 'utf8');
/** The command lines of blocks and of inline code. */
const lines = [...text.matchAll(/^gatehouse (.+)$|`gatehouse ([^`]+)`/gm)]
  .map(([, block, inline]) => (block ?? inline) as string)
  .filter((line) => line !== '...');

test('each of the twenty incidents has a runbook, and the table of contents links to it', () => {
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading as string);
  expect(INCIDENTS).toHaveLength(20);
  expect(headings).toEqual(expect.arrayContaining(INCIDENTS));
  for (const incident of INCIDENTS) expect(text).toContain(`](#${incident.toLowerCase().replaceAll(' ', '-')})`);
});

test('every command of the runbooks exists with its options, and prints its help', async () => {
  expect(lines.length).toBeGreaterThan(40);
  for (const line of lines) {
    const name = Object.keys(COMMANDS)
      .filter((words) => `${line} `.startsWith(`${words} `))
      .sort((a, b) => b.length - a.length)[0];
    expect([line, name]).toEqual([line, expect.any(String)]);
    const out: string[] = [];
    const terminal = { env: {}, out: (one: string) => void out.push(one), err: () => {} };
    expect([line, await execute([...(name as string).split(' '), '--help'], terminal)]).toEqual([line, 0]);
    for (const [option] of line.replace(/'[^']*'/g, '').matchAll(/(?<!\S)--?[a-z][a-z-]*/g))
      expect([line, out.join('\n')]).toEqual([line, expect.stringContaining(`  ${option}`)]);
  }
});

test('a command that changes something in a runbook has a reason', () => {
  const READS =
    /^(?:(?:keys )?status|doctor|migrate|(?:user|ban|jobs) list|audit (?:tail|verify)|user sessions)(?: |$)/;
  const changes = blocksOf(PAGE)
    .flatMap(({ code }) => code.split('\n'))
    .filter((line) => line.startsWith('gatehouse ') && !READS.test(line.slice('gatehouse '.length)));
  for (const line of changes) expect(line).toContain(" --reason '");
});
