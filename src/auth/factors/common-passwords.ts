import { createRequire } from 'node:module';

type Language = typeof import('@zxcvbn-ts/language-common');

const COUNT = 10_000;
let common: ReadonlySet<string> | undefined;

/** Read when the first password is chosen, not at every start. */
function read(): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-common') as Language;
  return new Set((dictionary['passwords-common'] as string[]).filter((word) => word.length >= 8).slice(0, COUNT));
}

/** Whether a password, without regard to case and in the form in which it is hashed, is one of the 10,000 most common. */
export function isCommonPassword(password: string): boolean {
  common ??= read();
  return common.has(password.normalize('NFKC').toLowerCase());
}
