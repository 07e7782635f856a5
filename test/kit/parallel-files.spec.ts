import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
describe('test files that run at the same time', () => {
  test('every started service is configured not to shed load on a busy machine', () => {
    const started = /\bcreateApp\(|\bPORT: '0'/;
    const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const starting = sources.filter((path) => started.test(readFileSync(join(ROOT, path), 'utf8')));
    expect(starting).toEqual(expect.arrayContaining(['support/gatehouse.ts', 'policy/team-accounts.e2e-spec.ts']));
    const patient = /\bGENEROUS_TIMEOUTS\b|\bMAX_LOOP_DELAY_MS\b/;
    expect(starting.filter((path) => !patient.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
  });

  test('each has its own database on the Redis server', () => {
    const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('spec.ts'));
    const taken = files.flatMap((path) => {
      const source = readFileSync(join(ROOT, path), 'utf8');
      const numbers = [...source.matchAll(/\bredisDatabase\(([^)]+)\)/g)].map(([, number = '']) => number);
      // Only literal numbers are allowed, because this test can compare them.
      expect(numbers.filter((number) => !/^\d+$/.test(number))).toEqual([]);
      return [...new Set(numbers)];
    });
    expect(taken.length).toBeGreaterThan(5);
    expect(taken.toSorted()).toEqual([...new Set(taken)].toSorted());
  });
});
