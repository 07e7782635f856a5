import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

/** The patterns of the page, read from its source, because the page loads its texts with Vite. */
const patterns = [...read('web/admin/instance/sso-details.ts').matchAll(/\[\/\^(.+)\$\/, '/g)].map(
  ([, pattern = '']) => new RegExp(`^${pattern}$`),
);

/** The details in the source of the service, with an example for each value. */
const details = [
  ...read('src/auth/sso/sso-configuration-test.service.ts').matchAll(/'([a-z][^'\n]* [^'\n]*)'|`([^`]+)`/g),
]
  .map(
    ([, plain, template]) => plain ?? template?.replace(/\$\{usable[^}]*\}/, '2').replace(/\$\{[^}]*\}/, 'token') ?? '',
  )
  .filter((text) => !text.includes('/'));

describe('web.md 4: the results of the single sign-on test', () => {
  test('the console has a text for every detail that the service returns', () => {
    expect(details.length).toBeGreaterThan(12);
    expect(details.filter((detail) => !patterns.some((pattern) => pattern.test(detail)))).toEqual([]);
  });
});
