import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from './databases.js';
import { type Account, account, Pooler, type PoolerMode } from './poolers.js';
import { freePort } from './ports.js';
import { describeUnless, programPath } from './programs.js';
import { until } from './service-process.js';

const initdb = programPath('initdb');
const postgres = programPath('postgres');
const pgBaseBackup = programPath('pg_basebackup');
const pgbouncer = programPath('pgbouncer');
const pgpool = programPath('pgpool');
const redisServer = programPath('redis-server') ?? programPath('valkey-server');

const noAccount = account ? undefined : 'root, and no user postgres that reaches temporary files';
const noPostgres = initdb && postgres ? noAccount : 'no initdb and postgres on this machine';

/** `describe`, or a skipped suite with the reason in its title if no PostgreSQL server can be started. */
export const describeWithDedicatedPostgres = describeUnless(noPostgres);

const noRedis = redisServer ? undefined : 'no redis-server on this machine';

/** `describe`, or a skipped suite with the reason in its title if no Redis server can be started. */
export const describeWithDedicatedRedis = describeUnless(noRedis);

/** `describe`, or a skipped suite with the reason in its title if one of the two servers cannot be started. */
export const describeWithDedicatedServers = describeUnless(noPostgres ?? noRedis);

const noPgbouncer = pgbouncer ? noPostgres : 'no pgbouncer on this machine';

/** `describe`, or a skipped suite with the reason in its title if PgBouncer or PostgreSQL cannot be started. */
export const describeWithPgbouncer = describeUnless(noPgbouncer);

const noPgpool = pgpool ? noPostgres : 'no pgpool on this machine';

/** `describe`, or a skipped suite with the reason in its title if pgpool-II or PostgreSQL cannot be started. */
export const describeWithPgpool = describeUnless(noPgpool);

/** Starts a pooler in front of the server of a database URL. */
export const startPooler = (databaseUrl: string, mode: PoolerMode): Promise<Pooler> => Pooler.start(databaseUrl, mode);

/** The child processes of a process. A suspended process starts no new ones. */
export function childrenOf(parent: number | undefined): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' ').filter(Boolean).map(Number));
  return pairs.flatMap(([pid = 0, of]) => (of === parent ? [pid] : []));
}

/** A server that belongs to one test file, which can stop, kill and restart it. */
export class DedicatedServer {
  private child: ChildProcess | undefined;

  private constructor(
    readonly url: string,
    private readonly directory: string,
    private readonly launch: () => ChildProcess,
    private readonly isUp: () => Promise<boolean>,
  ) {}

  static async postgres(): Promise<DedicatedServer> {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'));
    const { uid, gid } = account as Account;
    chownSync(directory, uid, gid);
    const data = join(directory, 'data');
    const as = { uid, gid, cwd: directory };
    execFileSync(initdb as string, ['-D', data, '-U', 'gatehouse', '-A', 'trust', '-E', 'UTF8', '--locale=C'], {
      ...as,
      stdio: 'pipe',
    });
    return DedicatedServer.launchPostgres(directory);
  }

  /** Starts a standby that receives all changes of a primary by streaming replication. */
  static async standbyOf(primary: DedicatedServer): Promise<DedicatedServer> {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'));
    const { uid, gid } = account as Account;
    chownSync(directory, uid, gid);
    const args = ['-d', primary.url, '-D', join(directory, 'data'), '-R', '-X', 'stream', '-c', 'fast'];
    execFileSync(pgBaseBackup as string, args, { uid, gid, cwd: directory, stdio: 'pipe' });
    return DedicatedServer.launchPostgres(directory);
  }

  private static async launchPostgres(directory: string): Promise<DedicatedServer> {
    const data = join(directory, 'data');
    const as = { ...(account as Account), cwd: directory };
    const port = await freePort();
    const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${directory}`];
    const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
    const url = `postgres://gatehouse@127.0.0.1:${port}/postgres`;
    const launch = () => spawn(postgres as string, args, { ...as, stdio: 'ignore' });
    const isUp = () => query(url, 'SELECT 1').then(...hasWorked);
    const server = new DedicatedServer(url, directory, launch, isUp);
    await server.start();
    return server;
  }

  /** `more`: further command-line options. */
  static async redis(...more: string[]): Promise<DedicatedServer> {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-redis-'));
    const port = await freePort();
    const settings = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no', ...more];
    const launch = () => spawn(redisServer as string, settings, { cwd: directory, stdio: 'ignore' });
    const isUp = async () => {
      const socket = connect(port, '127.0.0.1');
      return once(socket, 'connect')
        .then(...hasWorked)
        .finally(() => socket.destroy());
    };
    const server = new DedicatedServer(`redis://127.0.0.1:${port}/0`, directory, launch, isUp);
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

  /** Makes the next start of PostgreSQL that of a standby, which stays in recovery until it is promoted. */
  makeStandby(): void {
    const path = join(this.directory, 'data', 'standby.signal');
    const { uid, gid } = account as Account;
    writeFileSync(path, '');
    chownSync(path, uid, gid);
  }

  /** Sends a signal and waits until the server exits. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  /** Suspends the server and its child processes until `go` is called. Data sent to it waits. */
  pause(): void {
    this.child?.kill('SIGSTOP');
    for (const pid of childrenOf(this.child?.pid)) process.kill(pid, 'SIGSTOP');
  }

  resume(): void {
    for (const pid of childrenOf(this.child?.pid)) process.kill(pid, 'SIGCONT');
    this.child?.kill('SIGCONT');
  }

  async close(): Promise<void> {
    await this.stop('SIGINT');
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const hasWorked = [() => true, () => false] as const;
