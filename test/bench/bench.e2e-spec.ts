import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const root = join(import.meta.dirname, '../..');

type Points = readonly (readonly [minutes: number, value: number])[];
type Trend = (samples: Points, bound: { most: number; share?: boolean }) => { climb: number; isFlat: boolean };
/** The scripts of the benchmarks have no types. */
const trendOf: () => Promise<Trend> = async () => (await import(join(root, 'bench/trend.mjs'))).trend;

const minutes = Array.from({ length: 40 }, (_, n) => n / 2);
/** Alternates between up and down. */
const restless = (minute: number) => (Number.isInteger(minute) ? 1 : -1);

describe('the result of a soak run', () => {
  test('a swinging level is flat, and so is a climb during warm-up', async () => {
    const trend = await trendOf();
    const level = minutes.map((minute) => [minute, 100 + 3 * restless(minute)] as const);
    expect(trend(level, { most: 2 }).isFlat).toBe(true);
    const warming = minutes.map((minute) => [minute, minute < 10 ? 50 + 5 * minute : 100] as const);
    expect(trend(warming, { most: 2 })).toMatchObject({ climb: 0, isFlat: true });
  });

  test('a climb beyond its limit is not, with any noise; a limit can be a share of the mean', async () => {
    const trend = await trendOf();
    const climbing = minutes.map((minute) => [minute, 100 + minute + 3 * restless(minute)] as const);
    expect(trend(climbing, { most: 2 }).isFlat).toBe(false);
    expect(trend(climbing, { most: 0.05, share: true }).isFlat).toBe(false);
    expect(trend(climbing, { most: 0.2, share: true }).isFlat).toBe(true);
  });

  test('too few samples have no result', async () => {
    const trend = await trendOf();
    expect(() =>
      trend(
        [
          [0, 1],
          [1, 1],
        ],
        { most: 1 },
      ),
    ).toThrow('1 samples are too few to tell a trend');
  });

  test('a service that leaks memory and handles does not pass', async () => {
    const env = {
      ...process.env,
      SOAK_LEAK: 'heap,handles',
      SOAK_MINUTES: '0.2',
      SOAK_SAMPLE_SECONDS: '1',
      SOAK_RATE: '4',
    };
    const soak = spawn(process.execPath, ['bench/run.mjs', 'soak'], {
      cwd: root,
      env: { ...env, DATABASE_URL: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output, [status]] = await Promise.all([text(soak.stdout), once(soak, 'close')]);
    expect(output).toMatch(/^heap after collection, MiB .* CLIMBS$/m);
    expect(output).toMatch(/^resources of the event loop .* CLIMBS$/m);
    expect(status).toBe(1);
  });
});
