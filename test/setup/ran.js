import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

/** With `TESTS_RAN=<file>` a run writes there what each of its tests came to, a line of JSON each. */
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
