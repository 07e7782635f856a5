import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CLIENT } from './fake-gatehouse.js';

const ROOT = join(import.meta.dirname, '../..');
const HERE = join(import.meta.dirname, 'subjects');
/** Debian installs uvicorn for this Python. */
export const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';

export const TIMEOUT_MS = 700;
export const MAX_KEPT = 50;

export interface Implementation {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The folder of the library. */
  readonly library: string;
}

export const NODE: Implementation = {
  name: 'Node.js',
  command: [process.execPath, join(HERE, 'server.mjs')],
  library: join(ROOT, 'verify/dist'),
};
const python = (kind: 'WSGI' | 'ASGI'): Implementation => ({
  name: `Python, ${kind}`,
  command: [PYTHON, join(HERE, 'server.py'), kind.toLowerCase()],
  library: join(ROOT, 'verify/python'),
});
export const WSGI = python('WSGI');
export const ASGI = python('ASGI');

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends a request with a new connection. Several values of a header are sent as several headers. */
export function get(url: string, headers: Record<string, string | string[]> = {}): Promise<Answer> {
  // A list of pairs is sent as it is.
  const pairs = Object.entries(headers).flatMap(([name, values]) => [values].flat().flatMap((value) => [name, value]));
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: ['host', new URL(url).host, ...pairs], agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: Buffer.concat(chunks).toString() });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** A process that protects its paths by the policy of the same name. */
export class Subject {
  private constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
  ) {}

  static async start(
    { command: [program, ...args], library }: Implementation,
    gatehouseUrl: string,
    { id, secret }: { readonly id: string; readonly secret: string } = CLIENT,
    { timeoutMs = TIMEOUT_MS, maxKept = MAX_KEPT } = {},
  ): Promise<Subject> {
    const env = {
      ...{ PATH: process.env.PATH, GATEHOUSE_URL: gatehouseUrl, CLIENT_ID: id, CLIENT_SECRET: secret },
      ...{ VERIFY: library, TIMEOUT_MS: String(timeoutMs), MAX_KEPT: String(maxKept), PYTHONDONTWRITEBYTECODE: '1' },
    };
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const port = await new Promise<number>((resolve, reject) => {
      child.stdout?.once('data', (line: Buffer) => resolve(Number(line.toString())));
      child.once('exit', (code) => reject(new Error(`The service exited with ${code}`)));
    });
    return new Subject(child, port);
  }

  get(policy: string, headers: Record<string, string | string[]> = {}): Promise<Answer> {
    return get(`http://127.0.0.1:${this.port}/${policy}`, headers);
  }

  async metrics(): Promise<Record<string, number | null>> {
    return JSON.parse((await this.get('metrics')).body);
  }

  /** Stops the process. On a busy machine, a thread may still run when the signal has been sent. */
  async freeze(): Promise<void> {
    this.child.kill('SIGSTOP');
    const tasks = `/proc/${this.child.pid}/task`;
    const isStopped = (task: string) => readFileSync(`${tasks}/${task}/stat`, 'utf8').includes(') T ');
    while (existsSync(tasks) && !readdirSync(tasks).every(isStopped)) await setTimeout(1);
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  close(): void {
    this.child.kill('SIGKILL');
  }
}
