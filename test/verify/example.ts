import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../machine/ports.js';
import { until } from '../machine/service-process.js';
import { PYTHON } from './subject.js';

const ROOT = join(import.meta.dirname, '../..');

export interface Example {
  readonly name: 'protected-node' | 'protected-python';
  readonly file: string;
  readonly language: string;
  readonly command: readonly [string, ...string[]];
}

export const EXAMPLES: readonly Example[] = [
  { name: 'protected-node', file: 'server.js', language: 'js', command: [process.execPath, 'server.js'] },
  { name: 'protected-python', file: 'main.py', language: 'python', command: [PYTHON, 'main.py'] },
];

/** Unpacks the package where `npm install` does. */
function installPackage(folder: string): void {
  const home = join(folder, 'node_modules/@gatehouse-auth/verify');
  mkdirSync(home, { recursive: true });
  const pack = ['pack', '--ignore-scripts', '--silent', '--workspaces=false', '--pack-destination', folder];
  const { stdout } = spawnSync('npm', pack, { cwd: join(ROOT, 'verify'), encoding: 'utf8' });
  const { status } = spawnSync('tar', ['-xzf', join(folder, stdout.trim()), '-C', home, '--strip-components=1']);
  if (status !== 0) throw new Error('The package could not be unpacked');
}

/** A copy of an example as its own process, with the packed package. */
export class RunningExample {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start({ name, command: [program, ...args] }: Example, env: Record<string, string>) {
    const folder = mkdtempSync(join(tmpdir(), `gatehouse-${name}-`));
    cpSync(join(ROOT, 'examples', name), folder, { recursive: true });
    if (name === 'protected-node') installPackage(folder);
    else cpSync(join(ROOT, 'verify/python/gatehouse_verify.py'), join(folder, 'gatehouse_verify.py'));
    const port = await freePort();
    const child = spawn(program, args, {
      ...{ cwd: folder, stdio: 'ignore' },
      env: { PATH: process.env.PATH, PORT: `${port}`, ...env },
    });
    const example = new RunningExample(`http://127.0.0.1:${port}`, child, folder);
    const isUp = () =>
      fetch(`${example.url}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isUp).catch(async (error) => {
      await example.close();
      throw error;
    });
    return example;
  }

  async close(): Promise<void> {
    this.child.kill('SIGKILL');
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
