import { join } from 'node:path';

interface Run {
  readonly path: string;
  readonly titles: string[];
  readonly status: 'passed' | 'failed' | 'pending';
}
interface Script {
  assurancePages(): Map<string, string>;
  faultsOf(pages: Map<string, string>, ran?: readonly Run[]): { faults: string[]; skipped: string[] };
}

const { assurancePages, faultsOf }: Script = await import(join(import.meta.dirname, '../../scripts/assurance.mjs'));

const ASVS = 'docs/assurance/asvs.md';
const ATTACKS = 'docs/assurance/attacks.md';
const SELF = 'test/docs/assurance.spec.ts';

/** A page with one requirement, with `how` as its evidence. */
const page = (how: string, verdict = 'met') => {
  const counts = ['met', 'n/a', 'deviates'].map((name) => (name === verdict ? 1 : 0)).join(' | ');
  const table = `| Level | met | n/a | deviates | in all |\n|---|---|---|---|---|\n| MUST | ${counts} | 1 |\n| all | ${counts} | 1 |`;
  return `<!-- counts -->\n\n${table}\n\n<!-- end of counts -->\n| 1-1 | MUST | something | ${verdict} | ${how} |\n`;
};
const faultsIn = (text: string, ran?: readonly Run[]) => faultsOf(new Map([['docs/assurance/x.md', text]]), ran).faults;

describe('docs/assurance', () => {
  test('every requirement is listed, and every named test, file and setting exists', () => {
    const pages = assurancePages();
    expect([...pages.keys()].sort()).toEqual([
      ...[
        ASVS,
        ATTACKS,
        'docs/assurance/nist-800-63b.md',
        'docs/assurance/openid.md',
        'docs/assurance/rfc9700.md',
      ].sort(),
    ]);
    expect(faultsOf(pages).faults).toEqual([]);
  });

  test('a requirement that is missing, duplicate or of another level is found', () => {
    const text = assurancePages().get(ASVS) ?? '';
    const row = /^\| V6\.3\.1 .*$/m.exec(text)?.[0] ?? '';
    const found = (changed: string) => faultsOf(new Map([[ASVS, changed]])).faults.join();
    expect(found(text.replace(`${row}\n`, ''))).toContain('V6.3.1 of level 1 is missing');
    expect(found(text.replace(row, `${row}\n${row}`))).toContain('V6.3.1 is listed twice');
    expect(found(text.replace('| V6.3.1 | 1 |', '| V6.3.1 | 2 |'))).toContain('V6.3.1 is of level 1, not 2');
  });

  test('an attack that is missing, duplicate or met by no test is found', () => {
    const text = assurancePages().get(ATTACKS) ?? '';
    const row = /^\| HDR-09 .*$/m.exec(text)?.[0] ?? '';
    const found = (changed: string) => faultsOf(new Map([[ATTACKS, changed]])).faults.join();
    expect(found(text.replace(`${row}\n`, ''))).toContain('HDR-09 is missing');
    expect(found(text.replace(row, `${row}\n${row}`))).toContain('HDR-09 is listed twice');
    const without = row.replace(/ met \| .*$/, ' met | it is so |');
    expect(found(text.replace(row, without))).toContain('HDR-09 names no test');
  });

  test('missing references are found, and so is a verdict without a reason', () => {
    const name = `${SELF} › docs/assurance › missing references are found, and so is a verdict without a reason`;
    expect(faultsIn(page(`\`${name}\``))).toEqual([]);
    for (const how of [
      `${name}!`,
      name.replace('spec', 'specs'),
      'src/nothing.ts',
      'NO_SETTING=on',
      `${SELF} › x › y`,
    ]) {
      expect([how, faultsIn(page(`\`${how}\``))]).toEqual([how, [expect.stringContaining('there is no')]]);
    }
    expect(faultsIn(page(`\`${name}\``, 'deviates'))).toEqual([expect.stringContaining('no reason')]);
    expect(faultsIn(page('', 'met'))).toEqual([expect.stringContaining('is incomplete')]);
    expect(faultsIn(page('x').replace('| all | 1', '| all | 2'))).toEqual([expect.stringContaining('counts')]);
  });

  test.each([['a value'], ['another']])('a table of tests is named by its title with any placeholder: %s', () => {
    const title = 'a table of tests is named by its title with any placeholder: %s';
    const text = page(`\`${SELF} › ${title}\``);
    const run = (status: Run['status'], value = 'a value'): Run => ({
      ...{ path: SELF, status },
      titles: ['docs/assurance', title.replace('%s', value)],
    });
    expect(faultsIn(text, [run('passed'), run('passed', 'another')])).toEqual([]);
    expect(faultsIn(text, [run('passed'), run('failed', 'another')])).toEqual([expect.stringContaining('failed')]);
    expect(faultsIn(text, [])).toEqual([expect.stringContaining('is in no run')]);
    expect(faultsOf(new Map([['docs/assurance/x.md', text]]), [run('pending')])).toMatchObject({
      faults: [],
      skipped: [expect.stringContaining(title)],
    });
  });
});
