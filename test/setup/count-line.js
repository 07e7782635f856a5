/** The last line of a run: plain counts for people and machines. */
export default class CountLine {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites, testResults }) {
    const broken = testResults.filter(({ testExecError }) => testExecError).length;
    const failed = numFailedTests + (numFailedTests === 0 ? Math.max(broken, numFailedTestSuites) : broken);
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    process.on('exit', () => process.stdout.write(`${numPassedTests} passed, ${failed} failed${skipped}\n`));
  }
}
