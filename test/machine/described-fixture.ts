import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeProject } from '../../src/description/compiler/describe.js';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Returns the file with the compiler's description of a project in `test/fixtures`. The file is created once per state
 * of the sources, their build and the fixtures, because the compiler has to read all of them.
 */
export async function describedFixture(name: string): Promise<string> {
  const { GATEHOUSE_TEST_STATE: state } = process.env;
  const file = join(ROOT, 'node_modules/.cache/gatehouse-test', `description-of-${name}-${state}.json`);
  if (existsSync(file)) return file;
  const unfinished = `${file}.${process.pid}`;
  const described = await describeProject(join(ROOT, 'test/fixtures', name, 'tsconfig.json'));
  writeFileSync(unfinished, JSON.stringify(described));
  renameSync(unfinished, file);
  return file;
}
