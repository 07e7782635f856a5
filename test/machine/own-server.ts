import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe } from '@jest/globals';
import { query } from './databases.js';
import { until } from './service-process.js';

const DEBIAN = '/usr/lib/postgresql';
const folders = (process.env.PATH ?? '').split(delimiter);
const ofDebian = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : [];

const found = (name: string): string | undefined =>
  [...folders, ...ofDebian].map((folder) => join(folder, name)).find((path) => existsSync(path));

const initdb = found('initdb');
const postgres = found('postgres');
const redisServer = found('redis-server') ?? found('valkey-server');

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Whom PostgreSQL runs as: it refuses to run as root. */
function accountOfPostgres(): Account | undefined {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (uid !== 0) return { uid, gid };
  try {
    const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { stdio: 'pipe' }));
    const postgresUser = { uid: idOf('-u'), gid: idOf('-g') };
    execFileSync('test', ['-x', tmpdir()], { ...postgresUser, stdio: 'pipe' });
    return postgresUser;
  } catch {
    return undefined;
  }
}

const account = accountOfPostgres();

function describeOr(reason: string | undefined): (title: string, suite: () => void) => void {
  return (title, suite) => (reason ? describe.skip(`${title} (skipped: ${reason})`, suite) : describe(title, suite));
}

/** `describe`, or a skipped one that says why, where no PostgreSQL server can be started. */
export const describeWithOwnPostgres = describeOr(
  !initdb || !postgres
    ? 'no initdb and postgres on this machine'
    : !account
      ? 'root, and no user postgres that reaches temporary files'
      : undefined,
);

/** `describe`, or a skipped one that says why, where no Redis server can be started. */
export const describeWithOwnRedis = describeOr(redisServer ? undefined : 'no redis-server on this machine');

/** Below the ports that outgoing connections take: it stays free while its server is down. */
async function quietPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** A server of the test file's own, which it stops, kills and starts again. */
export class OwnServer {
  private child: ChildProcess | undefined;

  private constructor(
    readonly url: string,
    private readonly directory: string,
    private readonly launch: () => ChildProcess,
    private readonly isUp: () => Promise<boolean>,
  ) {}

  static async postgres(): Promise<OwnServer> {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'));
    const { uid, gid } = account as Account;
    chownSync(directory, uid, gid);
    const data = join(directory, 'data');
    const as = { uid, gid, cwd: directory };
    execFileSync(initdb as string, ['-D', data, '-U', 'gatehouse', '-A', 'trust', '-E', 'UTF8', '--locale=C'], {
      ...as,
      stdio: 'pipe',
    });
    const port = await quietPort();
    const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${directory}`];
    const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
    const url = `postgres://gatehouse@127.0.0.1:${port}/postgres`;
    const launch = () => spawn(postgres as string, args, { ...as, stdio: 'ignore' });
    const isUp = () => query(url, 'SELECT 1').then(...hasWorked);
    const server = new OwnServer(url, directory, launch, isUp);
    await server.start();
    return server;
  }

  static async redis(): Promise<OwnServer> {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-redis-'));
    const port = await quietPort();
    const settings = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'];
    const launch = () => spawn(redisServer as string, settings, { cwd: directory, stdio: 'ignore' });
    const isUp = async () => {
      const socket = connect(port, '127.0.0.1');
      return once(socket, 'connect')
        .then(...hasWorked)
        .finally(() => socket.destroy());
    };
    const server = new OwnServer(`redis://127.0.0.1:${port}/0`, directory, launch, isUp);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const child = this.launch();
    this.child = child;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      return this.isUp();
    });
  }

  /** Sends a signal and waits for the end. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  async close(): Promise<void> {
    await this.stop('SIGINT');
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const hasWorked = [() => true, () => false] as const;
