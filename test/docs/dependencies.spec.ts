import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEPENDENCIES } from '../../src/platform/dependencies/self-test.js';

const root = join(import.meta.dirname, '../..');
const section = /^## Dependencies\n.+?(?=^## )/ms.exec(
  readFileSync(join(root, 'docs/guides/operators/monitoring.md'), 'utf8'),
)?.[0];
const rows = (section ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.slice(2, -2).split(' | '));

test('the guide lists every dependency, what it needs, and whether the service is ready without it', () => {
  const listed = rows.filter(([name]) => name?.startsWith('`'));
  expect(listed).toEqual(
    DEPENDENCIES.map(({ name, needs, isRequired, without }) => [
      ...[`\`${name}\``, needs, isRequired ? 'not ready' : `ready${without ? `. ${without}` : ''}`],
    ]),
  );
});

const cells = rows.filter((row) => row.length === 4 && row[0] !== 'Dependency');

test.each(cells)('%s, %s: %s, shown by an existing test', (_dependency, _state, result, test = '') => {
  expect(result).toMatch(/^(?:works|not ready)/);
  const [, file, title] = /^`(.+) › (.+)`$/.exec(test) ?? [];
  expect(readFileSync(join(root, `test/${file}.e2e-spec.ts`), 'utf8')).toContain(`test('${title}'`);
});

test('the guide shows at least one state of each kind of dependency', () => {
  expect([...new Set(cells.map(([name]) => name))]).toEqual([
    ...['PostgreSQL', 'Standby for reads', 'Redis', 'Email', 'Storage', 'Captcha', 'Identity provider'],
  ]);
});
