import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '../machine/service-process.js';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const { resolve } = createRequire(join(import.meta.dirname, '../package.json'));

/** Where a package is installed, whatever it exports. */
function folderOf(name: string): string {
  for (let folder = dirname(resolve(name)); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name === name) return folder;
  }
}

/** Copies an example and links its packages that are installed here. Returns the folder of the copy. */
export function installExample(name: string, without: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), `gatehouse-${name}-`));
  cpSync(join(EXAMPLES, name), folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  const { dependencies = {} } = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')) : {};
  mkdirSync(join(folder, 'node_modules'));
  for (const dependency of Object.keys(dependencies)) {
    if (without.includes(dependency)) continue;
    symlinkSync(folderOf(dependency), join(folder, 'node_modules', dependency));
  }
  return folder;
}

/** An example as its own process. */
export class ExampleServer {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(name: string, [program, ...args]: [string, ...string[]], env: Record<string, string>) {
    const folder = installExample(name);
    const { SITE_URL: url = '' } = env;
    const child = spawn(program, args, {
      ...{ cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
      env: { PATH: process.env.PATH, ...env },
    });
    let errors = '';
    child.stderr?.on('data', (chunk) => {
      errors += chunk;
    });
    const server = new ExampleServer(url, child, folder);
    try {
      await until(async () => {
        if (child.exitCode !== null) throw new Error(`the example ended: ${errors}`);
        return fetch(url).then(
          ({ ok }) => ok,
          () => false,
        );
      });
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  async close(): Promise<void> {
    this.child.kill('SIGTERM');
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
