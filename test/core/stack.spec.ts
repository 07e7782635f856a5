import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sourceMappedStack } from '../../src/core/stack.js';

const ROOT = join(import.meta.dirname, '../..');
const SERVICE = join(ROOT, 'dist/service');
/** Lines of source files that the compiler and the bundler do not change. */
const LINES = [
  ['src/core/config/config.ts', 'throw new ConfigurationError(reader.faults);'],
  ['src/http/framing.ts', 'res.shouldKeepAlive = false;'],
  ['src/pipeline/route-audit.ts', 'throw new RouteAuditError(this.faults);'],
] as const;

const lineOf = (path: string, part: string): number =>
  readFileSync(path, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(part)) + 1;

const failed = (stack: string, message = 'x'): Error => Object.assign(new Error(message), { stack });

function expectMapped(compiled: string, source: string, part: string): void {
  const line = lineOf(compiled, part);
  const place = `${pathToFileURL(compiled)}:${line}:13`;
  const expected = `${join(ROOT, source)}:${lineOf(join(ROOT, source), part)}`;
  expect(line).toBeGreaterThan(0);
  expect(sourceMappedStack(failed(`Error: x\n    at fail (${place})\n    at async ${place}`))).toBe(
    `Error: x\n    at fail (${expected})\n    at async ${expected}`,
  );
}

describe('stack traces name files and lines of the sources', () => {
  test.each(LINES)('in the modules: %s', (source, part) => {
    expectMapped(join(ROOT, 'dist', source.replace(/ts$/, 'js')), source, part);
  });

  test.each(LINES)('in the bundle: %s', (source, part) => {
    const chunks = readdirSync(SERVICE).filter((name) => name.endsWith('.js'));
    const chunk = chunks.find((name) => readFileSync(join(SERVICE, name), 'utf8').includes(part)) as string;
    expectMapped(join(SERVICE, chunk), source, part);
  });

  test('a frame without a map is unchanged', () => {
    const stack = 'Error: x\n    at fail (file:///nowhere/file.js:1:2)\n    at node:internal/process:3:4';
    expect(sourceMappedStack(failed(stack))).toBe(stack);
  });

  test('the message is unchanged, even if it looks like a frame', () => {
    const place = `${pathToFileURL(join(ROOT, 'dist/src/core/log.js'))}:20:1`;
    const message = `x\n    at fail (${place})`;
    expect(sourceMappedStack(failed(`Error: ${message}\n    at node:internal/process:3:4`, message))).toContain(
      message,
    );
  });
});
