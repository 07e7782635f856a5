import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeProject } from '../../src/description/compiler/describe.js';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The file with what the compiler says of a project of `test/fixtures`: made once for each state of the sources, of
 * their build and of the fixtures, since it takes the compiler through all of them.
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
