const { mixinJestEnvironment } = require('@stryker-mutator/jest-runner');
const NativeEnvironment = require('../test/setup/native-environment.cjs');

/** The mutant that a test has noticed. */
let noticed;

function skipAll({ children }) {
  for (const child of children) {
    if (child.type === 'describeBlock') skipAll(child);
    else child.mode = 'skip';
  }
}

/** Ends a mutant at the first failure, in this file and before every other one. Jest itself would run them all. */
class FirstFailure extends NativeEnvironment {
  async setup() {
    await super.setup();
    // Circus keeps on telling the environments of former runs in this process.
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    // A module looks for the mutant once, when it is first asked: those that stay for several have to be told.
    globalThis.__stryker__.activeMutant = process.env.__STRYKER_ACTIVE_MUTANT__;
  }

  handleTestEvent({ name, test }, { rootDescribeBlock }) {
    const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
    if (!mutant) return;
    const hasFailed = name === 'test_done' && test.errors.length > 0;
    // The tests below a hook that failed fail by themselves.
    if (hasFailed || name === 'hook_failure') noticed = mutant;
    if (hasFailed || (name === 'run_start' && noticed === mutant)) skipAll(rootDescribeBlock);
  }
}

module.exports = mixinJestEnvironment(FirstFailure);
