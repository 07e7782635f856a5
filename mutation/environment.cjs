const { mixinJestEnvironment } = require('@stryker-mutator/jest-runner');
const NativeEnvironment = require('../test/setup/native-environment.cjs');

/** Ends a file at its first failure: one is enough to kill a mutant, and Jest itself stops between files only. */
class FirstFailure extends NativeEnvironment {
  failed = false;

  async setup() {
    await super.setup();
    // Circus keeps on telling the environments of former runs in this process.
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
  }

  handleTestEvent({ name, test }) {
    if (!process.env.__STRYKER_ACTIVE_MUTANT__) return;
    if (name === 'test_done' && test.errors.length > 0) this.failed = true;
    if (name === 'test_start' && this.failed) test.mode = 'skip';
  }
}

module.exports = mixinJestEnvironment(FirstFailure);
