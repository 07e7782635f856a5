import { createRequire } from 'node:module';

type Language = typeof import('@zxcvbn-ts/language-common');

const COUNT = 10_000;
let common: ReadonlySet<string> | undefined;

/** Loads the list on first use, not during startup. */
function read(): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-common') as Language;
  return new Set((dictionary['passwords-common'] as string[]).filter((word) => word.length >= 8).slice(0, COUNT));
}

/** Whether a password is one of the 10,000 most common. Compares it normalized (NFKC) and without case. */
export function isCommonPassword(password: string): boolean {
  common ??= read();
  return common.has(password.normalize('NFKC').toLowerCase());
}
