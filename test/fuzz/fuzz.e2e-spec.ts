import { randomInt } from 'node:crypto';
import { writeSync } from 'node:fs';
import { type Gatehouse, gatehouse } from '../support/index.js';
import { Fuzzer, type Settings } from './fuzzer.js';
import { STAGE } from './stage.js';

const { FUZZ_SEED, FUZZ_SECONDS = '0', FUZZ_OPERATION } = process.env;
const SECONDS = Number(FUZZ_SECONDS);
/** Seed of the suite, which sends the same requests each time. Longer runs use a random seed. */
const USUAL_SEED = 1;
const anySeed = () => (SECONDS > 0 ? randomInt(2 ** 31 - 1) : USUAL_SEED);

const settings: Settings = {
  seed: FUZZ_SEED === undefined ? anySeed() : Number(FUZZ_SEED),
  seconds: SECONDS,
  runs: 6,
  ...(FUZZ_OPERATION === undefined ? {} : { only: ({ id }) => id === FUZZ_OPERATION }),
};

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse(STAGE);
});
afterAll(() => service.close());

test(
  'every operation conforms to its description',
  async () => {
    writeSync(1, `FUZZ_SEED=${settings.seed}\n`);
    const { found, ...counted } = await Fuzzer.run(service, settings);
    writeSync(1, `${JSON.stringify(counted)}, ${found.length} findings\n`);
    const reported = found.map(
      ({ operation, seed, what }) =>
        `${operation}, FUZZ_SEED=${seed} FUZZ_OPERATION=${/\((\w+)\)$/.exec(operation)?.[1]}\n  ${what}`,
    );
    if (reported.length > 0) throw new Error(reported.join('\n\n'));
    if (FUZZ_OPERATION !== undefined) return;
    expect(counted.operations).toBeGreaterThan(180);
    expect(counted.deletions).toBeGreaterThan(3);
  },
  (SECONDS + 600) * 1000,
);
