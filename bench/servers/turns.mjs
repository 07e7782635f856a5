/**
 * Loaded before the service (`--import`): measures how long a turn of its event loop takes.
 * A timer fires in every turn that is longer than a millisecond.
 * The time between two of its calls is that of one long turn, or of a few short ones.
 * `cpu` is the CPU time of the main thread, which other load on the machine does not increase.
 * Returns the longest turn when asked for `turns` over IPC, and starts over.
 */
import { openSync, readSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.channel) {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const bytes = Buffer.alloc(64);
  const cpuMs = () => Number.parseInt(bytes.latin1Slice(0, readSync(file, bytes, 0, bytes.length, 0)), 10) / 1e6;
  let longest = { cpu: 0, wall: 0 };
  let last = { cpu: cpuMs(), wall: performance.now() };
  setInterval(() => {
    const now = { cpu: cpuMs(), wall: performance.now() };
    longest = {
      cpu: Math.max(longest.cpu, now.cpu - last.cpu),
      wall: Math.max(longest.wall, now.wall - last.wall),
    };
    last = now;
  }, 1).unref();
  process.on('message', ({ id, ask }) => {
    if (ask !== 'turns') return;
    // Waits until the timer has measured the turn of this message.
    setTimeout(() => {
      process.send({ id, answer: longest });
      longest = { cpu: 0, wall: 0 };
    }, 3);
  });
  process.channel.unref();
}
