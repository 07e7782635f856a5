import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { Client } from '../support/client.js';
import type { ServiceEndpoint } from '../support/gatehouse.js';
import { throughPooler } from '../support/pooled.js';
import { WAIT_TIMEOUT_MS } from '../support/timeouts.js';

const root = join(import.meta.dirname, '..', '..');
const GATEHOUSE_SECRET = randomBytes(32).toString('base64');
const started = new Map<ChildProcess, string>();

type Settings = Readonly<Record<string, string | undefined>>;

/** Kills all processes that the test file started, in any state. For `afterAll`. */
export async function endProcesses(): Promise<void> {
  for (const [child, directory] of started) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(directory, { recursive: true, force: true });
  }
  started.clear();
}

/**
 * Copies a migrated database into a data directory. The directory then contains what a first start creates, except the
 * files that every start writes.
 */
export function preparedDirectory(directory: string): string {
  const template = join(process.env.GATEHOUSE_TEST_EMBEDDED ?? '', 'database');
  cpSync(template, join(directory, 'database'), { recursive: true });
  return directory;
}

/** The built service as a separate process. All processes of a test file have the same secret. */
export class ServiceProcess implements ServiceEndpoint {
  out = '';
  err = '';
  /** The exit code, or null if a signal ended the process. */
  readonly exited: Promise<number | null>;

  private constructor(
    readonly child: ChildProcess,
    /** The working directory of the process. */
    readonly directory: string,
  ) {
    child.stdout?.on('data', (chunk) => {
      this.out += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      this.err += chunk;
    });
    this.exited = once(child, 'close').then(([code]) => code as number | null);
  }

  /**
   * If `env` sets neither `DATABASE_URL` nor `DATA_DIR`, the process gets a migrated database. If `script` is set, it
   * is started instead of the service, with `args`.
   */
  static start(
    env: Settings,
    script = join(root, 'dist/service/main.cjs'),
    args: readonly string[] = [],
  ): ServiceProcess {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-process-'));
    if (!env.DATA_DIR && !env.DATABASE_URL) preparedDirectory(directory);
    const child = spawn(process.execPath, [script, ...args], {
      cwd: directory,
      env: {
        PATH: process.env.PATH,
        HTTP_PLATFORM: process.env.HTTP_PLATFORM,
        PORT: '0',
        GATEHOUSE_SECRET,
        DATA_DIR: directory,
        RATE_LIMITS: 'off',
        LOGIN_ALLOWANCES: 'off',
        REGISTRATION_ALLOWANCES: 'off',
        MAX_LOOP_DELAY_MS: '0',
        // Without load balancers, there is no reason to wait.
        DRAIN_SECONDS: '0',
        LOG_LEVEL: 'error',
        ...throughPooler(env),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.set(child, directory);
    return new ServiceProcess(child, directory);
  }

  /** Starts the service and waits for the last line of its startup output. */
  static async ready(env: Settings, script?: string): Promise<ServiceProcess> {
    const service = ServiceProcess.start(env, script);
    await service.waitForBanner();
    return service;
  }

  /** Waits until the process accepts requests. */
  async waitForBanner(): Promise<void> {
    const ended = this.exited.then(() => true);
    while (!/^Database .+\n/m.test(this.out)) {
      const said = once(this.child.stdout as NodeJS.EventEmitter, 'data');
      if ((await this.patiently('greet', Promise.race([ended, said]))) === true) {
        throw new Error(`the service ended: ${this.err}`);
      }
    }
  }

  /** Waits for an event. After a timeout, the error contains the output of the process. */
  private async patiently<T>(what: string, event: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const fail = () => reject(new Error(`process ${this.child.pid} does not ${what}: ${this.out}\n${this.err}`));
      timer = setTimeout(fail, WAIT_TIMEOUT_MS);
    });
    return Promise.race([event, late]).finally(() => clearTimeout(timer));
  }

  get url(): string {
    return /^Listening +(http:\S+)$/m.exec(this.out)?.[1] ?? '';
  }

  get anonymous(): Client {
    return new Client(this.url, undefined, []);
  }

  as(credential: string | { authorization: string }): Client {
    return new Client(this.url, typeof credential === 'string' ? credential : credential.authorization, []);
  }

  /** Sends a signal and waits until the process exits. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.patiently(`end after ${signal}`, this.exited);
  }
}

/** Waits until `isSo` returns true. The only timeout is that of the test. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}

interface IdentifiedSocket {
  readonly socket: WebSocket;
  /** The close code and reason. */
  readonly closed: Promise<[code: number, reason: string]>;
  readonly sessionId: string;
  /** The sequence number of READY. */
  readonly seq: number;
}

/** Opens a gateway session on a process. */
export async function identify({ url }: ServiceEndpoint, token: string): Promise<IdentifiedSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/gateway`);
  const closed = once(socket, 'close').then(([code, reason]): [number, string] => [code, String(reason)]);
  await once(socket, 'message');
  socket.send(JSON.stringify({ op: 2, d: { token } }));
  const [ready] = await once(socket, 'message');
  const { t, s: seq, d } = JSON.parse(String(ready));
  if (t !== 'READY') throw new Error(`no READY but ${ready}`);
  return { socket, closed, sessionId: d.session_id, seq };
}
