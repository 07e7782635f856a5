import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..');
const hasTools = ['bash', 'curl'].every((tool) => spawnSync(tool, ['--version']).status === 0);

/** `describe`, or a skipped suite if bash or curl is missing. */
export const describeWithTools: typeof describe = hasTools ? describe : (describe.skip as typeof describe);

/** A shell session in which code blocks run one after another. */
export class Terminal {
  private readonly shell: ChildProcess;
  private output = '';

  constructor(env: NodeJS.ProcessEnv) {
    this.shell = spawn('bash', ['-uo', 'pipefail'], { cwd: root, env, stdio: ['pipe', 'pipe', 'pipe'] });
    for (const stream of [this.shell.stdout, this.shell.stderr]) {
      stream?.on('data', (chunk) => {
        this.output += chunk;
      });
    }
  }

  /** Runs a code block. Returns its output and the exit code of its last command. */
  async paste(code: string): Promise<{ output: string; status: number }> {
    this.output = '';
    const mark = randomBytes(8).toString('hex');
    this.shell.stdin?.write(`${code}\nprintf '\\n%s %s\\n' ${mark} "$?"\n`);
    for (;;) {
      const [output, status] = this.output.split(`\n${mark} `);
      if (status?.endsWith('\n')) return { output: output as string, status: Number(status) };
      await once(this.shell.stdout as NodeJS.EventEmitter, 'data');
    }
  }

  end(): void {
    this.shell.stdin?.end();
  }
}
