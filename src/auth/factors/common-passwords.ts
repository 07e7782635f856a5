import { dictionary } from '@zxcvbn-ts/language-common';

const COUNT = 10_000;
let common: ReadonlySet<string> | undefined;

/** Whether a password, without regard to case and in the form in which it is hashed, is one of the 10,000 most common. */
export function isCommonPassword(password: string): boolean {
  common ??= new Set((dictionary['passwords-common'] as string[]).filter((word) => word.length >= 8).slice(0, COUNT));
  return common.has(password.normalize('NFKC').toLowerCase());
}
