const { appendFileSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const TICKS_A_SECOND = 100;

/** Seconds of processor time that this process has used, and those that it started and that have ended. */
function processorTime() {
  try {
    const [user, system, ofUser, ofSystem] = readFileSync('/proc/self/stat', 'utf8')
      .split(') ')[1]
      .split(' ')
      .slice(11);
    return [user, system, ofUser, ofSystem].reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
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
