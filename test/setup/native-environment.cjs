/** The process itself, whose environment variables and time limit are put back after each file. */
module.exports = class NativeEnvironment {
  global = globalThis;

  async setup() {
    this.variables = { ...process.env };
    // Node maps traces to the sources itself; Jest's way knows only what Jest compiled.
    Error.prepareStackTrace = undefined;
    delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')];
  }

  async teardown() {
    for (const name of Object.keys(process.env)) if (!(name in this.variables)) delete process.env[name];
    Object.assign(process.env, this.variables);
  }

  getVmContext() {
    return null;
  }
};
