import type { Log } from '../../core/log.js';
import { FanOut } from './fan-out.service.js';

const BATCH_MS = 10;

const realNow = performance.now;
afterEach(() => {
  performance.now = realNow;
});

/** A clock that only the queues of the test advance. */
function steppedClock() {
  let now = 0;
  performance.now = () => now;
  return {
    advance: (ms: number) => {
      now += ms;
    },
  };
}

/** Counts the turns of the event loop until the condition holds. */
async function turnsUntil(isDone: () => boolean): Promise<number> {
  for (let turns = 0; ; turns++) {
    if (isDone()) return turns;
    if (turns > 1000) throw new Error('it never happened');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('FanOut', () => {
  test('yields to the event loop after 10 ms, with many sockets and with one that has much to send', async () => {
    const clock = steppedClock();
    const fanOut = new FanOut({} as Log);
    let writes = 0;
    let writesOfTurn = 0;
    let most = 0;
    let isOver = false;
    const watch = () => {
      most = Math.max(most, writesOfTurn);
      writesOfTurn = 0;
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    const step = () => {
      clock.advance(1);
      writes++;
      writesOfTurn++;
    };
    for (let n = 0; n < 200; n++) {
      fanOut.add({
        write: () => {
          step();
          return false;
        },
      });
    }
    let left = 100;
    fanOut.add({
      write: (until) => {
        while (left > 0 && performance.now() < until) {
          step();
          left--;
        }
        return left > 0;
      },
    });
    const turns = await turnsUntil(() => writes === 300);
    isOver = true;
    expect(most).toBeLessThanOrEqual(BATCH_MS);
    expect(turns).toBeGreaterThanOrEqual(300 / BATCH_MS - 1);
  });

  test('continues with the others if one socket throws', async () => {
    const lines: string[] = [];
    const fanOut = new FanOut({ error: (line: string) => lines.push(line) } as unknown as Log);
    let written = 0;
    const broken = () => {
      throw new Error('gone');
    };
    const counting = () => {
      written++;
      return false;
    };
    for (const write of [broken, counting, broken, counting]) fanOut.add({ write });
    await turnsUntil(() => written === 2);
    expect(lines).toHaveLength(2);
  });
});
