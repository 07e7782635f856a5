import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../bench/lib.mjs';
import { within } from './ask.mjs';

const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Number of replicas that were started. */
let count = 0;

/** A process of one version of the service. */
export class Replica {
  out = '';
  err = '';

  constructor(version, url, child) {
    this.version = version.name;
    this.name = `${version.name} replica ${++count}`;
    this.url = url;
    this.child = child;
    child.stdout.on('data', (chunk) => (this.out += chunk));
    child.stderr.on('data', (chunk) => (this.err += chunk));
    running.add(child);
    this.ended = once(child, 'close').then(([code]) => {
      running.delete(child);
      return code;
    });
  }

  /** Starts a replica. Returns it when it is ready. */
  static async start(version, entry, env) {
    const port = await freePort();
    const child = spawn(process.execPath, [entry], {
      env: { ...env, PORT: String(port) },
      cwd: env.DATA_DIR,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const replica = new Replica(version, `http://127.0.0.1:${port}`, child);
    const asking = { isOver: false };
    await within(replica.#ready(asking), `a ready ${version.name} replica`)
      .catch((error) => Promise.reject(new Error(`${error.message}\n${replica.out}${replica.err}`)))
      .finally(() => (asking.isOver = true));
    return replica;
  }

  async #ready(asking) {
    const isReady = () =>
      fetch(`${this.url}/health/ready`)
        .then(({ ok }) => ok)
        .catch(() => false);
    while (!asking.isOver && !(await isReady())) {
      if (this.child.exitCode !== null) throw new Error(`${this.name} ended with ${this.child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Shuts down the replica gracefully. @throws Error if it does not exit with 0 */
  async stop() {
    this.child.kill('SIGTERM');
    const code = await within(this.ended, `the end of ${this.name}`);
    if (code !== 0) throw new Error(`${this.name} ended with ${code}: ${this.out}${this.err}`);
  }

  /** The errors in its log, and everything that it wrote to stderr. */
  get complaints() {
    const errors = this.out.split('\n').filter((line) => /^\{.*"level":(?:50|60|"error"|"fatal")/.test(line));
    return [...errors, ...this.err.split('\n').filter(Boolean)].map((line) => `${this.name} said: ${line}`);
  }
}
