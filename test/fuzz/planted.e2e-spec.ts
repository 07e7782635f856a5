/** @own-modules */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeProject } from '../../src/description/compiler/describe.js';
import { FaultyModule } from '../fixtures/faulty/faulty.module.js';
import { type Gatehouse, gatehouse } from '../support/index.js';
import { Fuzzer } from './fuzzer.js';
import { STAGE } from './stage.js';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-fuzz-'));

let service: Gatehouse;
beforeAll(async () => {
  const description = join(folder, 'faulty.json');
  const project = join(import.meta.dirname, '../fixtures/faulty/tsconfig.json');
  writeFileSync(description, JSON.stringify(await describeProject(project)));
  service = await gatehouse({ ...STAGE, modules: [FaultyModule], descriptions: [description] });
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const fuzzed = async (path: string, seed: number): Promise<string[]> => {
  const only = (operation: { path: string }) => operation.path === `/v1/faulty/${path}`;
  const { operations, found } = await Fuzzer.run(service, { seed, runs: 20, only });
  expect(operations).toBe(1);
  return found.map(({ what }) => what);
};

describe('the fuzzer finds', () => {
  test.each([1, 2, 3])('nothing where nothing is wrong (seed %s)', async (seed) => {
    expect(await fuzzed('sound', seed)).toEqual([]);
  });

  test.each([1, 2, 3])('a handler that fails on some input (seed %s)', async (seed) => {
    expect(await fuzzed('throwing', seed)).toContainEqual(
      expect.stringMatching(/^the service failed: 500 [\s\S]*\n {2}curl -X GET '\/v1\/faulty\/throwing\?count=\d+'$/),
    );
  });

  test.each([1, 2, 3])('a member that is not declared (seed %s)', async (seed) => {
    expect(await fuzzed('undeclared', seed)).toContainEqual(expect.stringMatching(/additional properties[\s\S]*curl/));
  });

  test.each([1, 2, 3])('a form that is described and not enforced (seed %s)', async (seed) => {
    expect(await fuzzed('unchecked', seed)).toContainEqual(
      expect.stringMatching(/^what the description does not allow is taken \(name: too long\): 200/),
    );
  });
});
