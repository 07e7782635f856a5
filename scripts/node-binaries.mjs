/** Binaries of other major versions of Node, from packages of the npm registry. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Downloads the binary of a major version of Node into a new folder in `place`. Returns the folder of the binary, or
 * undefined if the registry does not respond.
 */
export async function binaryOf(line, place) {
  const folder = mkdtempSync(join(place, `${line}-`));
  const name = `node-${process.platform}-${process.arch}@${line}`;
  const npm = spawn('npm', ['pack', name, '--silent'], { cwd: folder, stdio: 'ignore', timeout: 120_000 });
  const [status] = await once(npm, 'close');
  const [packed] = readdirSync(folder);
  if (status !== 0 || !packed) return undefined;
  if (spawnSync('tar', ['xzf', packed], { cwd: folder }).status !== 0) return undefined;
  return join(folder, 'package', 'bin');
}
