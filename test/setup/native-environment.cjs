const { appendFileSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

// Jest sets FORCE_COLOR in its workers if it runs in a terminal. What tests print and compare must not depend on that.
delete process.env.FORCE_COLOR;
process.env.NO_COLOR = '1';

const TICKS_A_SECOND = 100;

/** A test that fails after this time has probably waited in vain. */
const LONG_WAIT_MS = 30_000;
/** After this many such failures, a file runs no more tests. Each may wait for minutes, and a run would take hours. */
const MAX_LONG_FAILURES = 3;

/** The parent of a process, and the CPU seconds that the process and its exited children have used. */
function statOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: fields[1], seconds: ticks / TICKS_A_SECOND };
}

/** CPU seconds of this process and all its descendants, exited or running. This includes a shared browser. */
function cpuTime() {
  try {
    const stats = new Map();
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        stats.set(pid, statOf(pid));
      } catch {
        // The process has just exited.
      }
    }
    const totalOf = (pid) =>
      [...stats].reduce(
        (sum, [child, { parent }]) => (parent === pid ? sum + totalOf(child) : sum),
        stats.get(pid).seconds,
      );
    return totalOf(String(process.pid));
  } catch {
    return process.cpuUsage().user / 1e6;
  }
}

/**
 * Runs tests in the process itself. Restores the environment variables and resets the time limit for each file. Stops
 * a file whose tests fail after long waits.
 */
module.exports = class NativeEnvironment {
  global = globalThis;
  longFailures = 0;

  constructor(_config, { testPath }) {
    this.testPath = testPath;
  }

  async setup() {
    this.before = cpuTime();
    this.variables = { ...process.env };
    // Node.js maps stack traces to the sources itself. Jest's hook knows only files that Jest compiled.
    Error.prepareStackTrace = undefined;
    delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')];
  }

  async teardown() {
    for (const name of Object.keys(process.env)) if (!(name in this.variables)) delete process.env[name];
    Object.assign(process.env, this.variables);
    const line = `${(cpuTime() - this.before).toFixed(2)}\t${this.testPath}\n`;
    appendFileSync(join(process.env.GATEHOUSE_TEST_DIR, 'cpu-time.tsv'), line);
  }

  handleTestEvent({ name, test }) {
    if (name === 'test_done' && test.errors.length > 0 && test.duration > LONG_WAIT_MS) this.longFailures++;
    if (name === 'test_start' && this.longFailures >= MAX_LONG_FAILURES) test.mode = 'skip';
  }

  getVmContext() {
    return null;
  }
};
