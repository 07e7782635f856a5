const { appendFileSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const TICKS_A_SECOND = 100;

/** The parent of a process, and the seconds of CPU that the process and its ended children have used. */
function statOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: fields[1], seconds: ticks / TICKS_A_SECOND };
}

/** CPU seconds of this process and of all that it started, whether they have ended or still run, as a shared browser does. */
function processorTime() {
  try {
    const stats = new Map();
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        stats.set(pid, statOf(pid));
      } catch {
        // It has just ended.
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

/** The process itself, whose environment variables and time limit are put back after each file. */
module.exports = class NativeEnvironment {
  global = globalThis;

  constructor(_config, { testPath }) {
    this.testPath = testPath;
  }

  async setup() {
    this.before = processorTime();
    this.variables = { ...process.env };
    // Node maps traces to the sources itself; Jest's way knows only what Jest compiled.
    Error.prepareStackTrace = undefined;
    delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')];
  }

  async teardown() {
    for (const name of Object.keys(process.env)) if (!(name in this.variables)) delete process.env[name];
    Object.assign(process.env, this.variables);
    const line = `${(processorTime() - this.before).toFixed(2)}\t${this.testPath}\n`;
    appendFileSync(join(process.env.GATEHOUSE_TEST_DIR, 'processor-time.tsv'), line);
  }

  getVmContext() {
    return null;
  }
};
