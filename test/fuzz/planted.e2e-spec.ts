import { FaultyModule } from '../fixtures/faulty/faulty.module.js';
import { describedFixture } from '../machine/described-fixture.js';
import { type Gatehouse, gatehouse } from '../support/index.js';
import { Fuzzer } from './fuzzer.js';
import { STAGE } from './stage.js';

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ ...STAGE, modules: [FaultyModule], descriptions: [await describedFixture('faulty')] });
});
afterAll(() => service.close());

const fuzzed = async (path: string, seed: number): Promise<string[]> => {
  const only = (operation: { path: string }) => operation.path === `/v1/faulty/${path}`;
  const { operations, found } = await Fuzzer.run(service, { seed, runs: 20, only });
  expect(operations).toBe(1);
  return found.map(({ what }) => what);
};

describe('the fuzzer finds', () => {
  test.each([1, 2, 3])('no error if there is none (seed %s)', async (seed) => {
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
