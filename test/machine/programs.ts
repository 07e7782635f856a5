import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from '@jest/globals';

const DEBIAN = '/usr/lib/postgresql';
const ofDebian = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : [];
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', ...ofDebian];

/** The path of a program on this machine, if it is installed. */
export const programPath = (name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find((path) => existsSync(path));

/** `describe`, or a skipped suite with the reason in its title if there is a reason. */
export function describeUnless(reason: string | undefined): (title: string, suite: () => void) => void {
  return (title, suite) => (reason ? describe.skip(`${title} (skipped: ${reason})`, suite) : describe(title, suite));
}

/** The programs and files that are missing on this machine, as a reason to skip a suite. */
export function missing(...needed: string[]): string | undefined {
  const absent = needed.filter((name) => !(name.includes('/') ? existsSync(name) : programPath(name)));
  return absent.length > 0 ? `no ${absent.join(', no ')} on this machine` : undefined;
}
