import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

/** With `TESTS_RAN=<file>`, a run appends the result of each test to that file, one JSON line per test. */
export default class Ran {
  onTestResult(_test, { testFilePath, testResults }) {
    const file = process.env.TESTS_RAN;
    if (!file) return;
    const path = relative(process.cwd(), testFilePath);
    for (const { ancestorTitles, title, status } of testResults) {
      appendFileSync(file, `${JSON.stringify({ path, titles: [...ancestorTitles, title], status })}\n`);
    }
  }
}
