import { relative } from 'node:path';

const SILENCE_MS = 5 * 60_000;

/** Lists the running files whenever no file has ended for five minutes, so that the output of a stopped run names them. */
export default class Running {
  running = new Map();

  onRunStart() {
    this.timer = setInterval(() => this.list(), SILENCE_MS);
    this.timer.unref();
  }

  onTestFileStart({ path }) {
    this.running.set(path, performance.now());
  }

  onTestFileResult({ path }) {
    this.running.delete(path);
    this.timer.refresh();
  }

  onRunComplete() {
    clearInterval(this.timer);
  }

  list() {
    for (const [path, startedAt] of this.running) {
      const minutes = ((performance.now() - startedAt) / 60_000).toFixed();
      process.stderr.write(`Running for ${minutes} minutes: ${relative(process.cwd(), path)}\n`);
    }
  }
}
