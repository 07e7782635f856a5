import { createRequire } from 'node:module';

type Language = typeof import('@zxcvbn-ts/language-common');

const COMMON_PASSWORD_COUNT = 10_000;
let commonPasswords: ReadonlySet<string> | undefined;

/** Loads the list on first use, not during startup. */
function loadCommonPasswords(): ReadonlySet<string> {
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-common') as Language;
  return new Set(
    (dictionary['passwords-common'] as string[]).filter((word) => word.length >= 8).slice(0, COMMON_PASSWORD_COUNT),
  );
}

/** Whether a password is one of the 10,000 most common. Compares it normalized (NFKC) and without case. */
export function isCommonPassword(password: string): boolean {
  commonPasswords ??= loadCommonPasswords();
  return commonPasswords.has(password.normalize('NFKC').toLowerCase());
}
