/** Prints the last line of a run: counts that users and programs can read. */
export default class CountLine {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites, testResults }) {
    const broken = testResults.filter(({ testExecError }) => testExecError).length;
    const failed = numFailedTests + (numFailedTests === 0 ? Math.max(broken, numFailedTestSuites) : broken);
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    process.on('exit', () => process.stdout.write(`${numPassedTests} passed, ${failed} failed${skipped}\n`));
  }
}
