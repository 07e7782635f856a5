const { mixinJestEnvironment } = require('@stryker-mutator/jest-runner');
const NativeEnvironment = require('../test/setup/native-environment.cjs');

/** The mutant that a test has detected. */
let noticed;

function skipAll({ children }) {
  for (const child of children) {
    if (child.type === 'describeBlock') skipAll(child);
    else child.mode = 'skip';
  }
}

/**
 * Stops the tests of a mutant at the first failure, in this file and before all others. Jest itself would run all
 * tests.
 */
class FirstFailure extends NativeEnvironment {
  async setup() {
    await super.setup();
    // Circus still notifies the environments of earlier runs in this process.
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    // A module reads the active mutant only once, so modules that stay loaded for several mutants need this update.
    globalThis.__stryker__.activeMutant = process.env.__STRYKER_ACTIVE_MUTANT__;
  }

  handleTestEvent({ name, test }, { rootDescribeBlock }) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    if (!mutant) return;
    const hasFailed = name === 'test_done' && test.errors.length > 0;
    // If a hook fails, the tests below it fail without this.
    if (hasFailed || name === 'hook_failure') noticed = mutant;
    if (hasFailed || (name === 'run_start' && noticed === mutant)) skipAll(rootDescribeBlock);
  }
}

module.exports = mixinJestEnvironment(FirstFailure);
