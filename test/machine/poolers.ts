import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';

/** Poolers behind which the suite can run, by the value of `TEST_POOLER`. */
/** `pgpool-raw` is pgpool-II in a mode in which it does not commit. */
export type PoolerMode = 'transaction' | 'session' | 'pgpool' | 'pgpool-raw';

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The account that runs PostgreSQL, which refuses to run as root. */
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

/** The account that runs servers of PostgreSQL and poolers, which do not start as root. */
export const account = accountOfPostgres();

interface Files {
  readonly folder: string;
  readonly port: number;
}

const databaseOf = (url: URL): string => `host=${url.hostname} port=${url.port || 5432}`;

const pgbouncerSettings = (url: URL, mode: PoolerMode, { port }: Files): string =>
  [
    ...['[databases]', `* = ${databaseOf(url)} user=${decodeURIComponent(url.username)}`, '[pgbouncer]'],
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
    ...[`pool_mode = ${mode}`, 'default_pool_size = 50', 'max_client_conn = 2000', 'max_db_connections = 0'],
    // Each test file has its own database, whose idle sessions would use up those of the server.
    'server_idle_timeout = 3',
  ].join('\n');

const pgpoolSettings = (url: URL, mode: PoolerMode, { folder, port }: Files): string =>
  [
    ...["listen_addresses = '127.0.0.1'", `port = ${port}`, "pcp_listen_addresses = ''", `pcp_port = ${port + 1}`],
    ...[
      `backend_clustering_mode = '${mode === 'pgpool' ? 'streaming_replication' : 'raw'}'`,
      `backend_hostname0 = '${url.hostname}'`,
      `backend_port0 = ${url.port || 5432}`,
      "backend_flag0 = 'DISALLOW_TO_FAILOVER'",
    ],
    ...[`unix_socket_directories = '${folder}'`, `pcp_socket_dir = '${folder}'`, `pid_file_name = '${folder}/pid'`],
    ...[`logdir = '${folder}'`, `work_dir = '${folder}'`, `memqcache_oiddir = '${folder}/oid'`],
    ...['enable_pool_hba = off', 'num_init_children = 90', 'max_pool = 1', 'connection_cache = on'],
    ...['connection_life_time = 3', 'load_balance_mode = off', 'sr_check_period = 0', 'health_check_period = 0'],
  ].join('\n');

async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** A pooler on this machine, in front of the server of a database URL. */
export class Pooler {
  private constructor(
    /** The URL of the same database through the pooler. */
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(databaseUrl: string, mode: PoolerMode): Promise<Pooler> {
    const url = new URL(databaseUrl);
    const files = { folder: mkdtempSync(join(tmpdir(), 'gatehouse-pooler-')), port: await unusedPort() };
    const { folder, port } = files;
    const settings = join(folder, 'settings');
    const isPgpool = mode.startsWith('pgpool');
    writeFileSync(settings, (isPgpool ? pgpoolSettings : pgbouncerSettings)(url, mode, files));
    chmodSync(folder, 0o777);
    chmodSync(settings, 0o644);
    const program = isPgpool ? '/usr/sbin/pgpool' : '/usr/sbin/pgbouncer';
    const args = isPgpool ? ['-n', '-f', settings] : [settings];
    const child = spawn(existsSync(program) ? program : basename(program), args, {
      ...account,
      cwd: folder,
      stdio: 'ignore',
    });
    url.host = `127.0.0.1:${port}`;
    while (!(await accepts(url.href))) {
      if (child.exitCode !== null) throw new Error(`the pooler ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return new Pooler(url.href, child, folder);
  }

  async close(): Promise<void> {
    this.child.kill('SIGINT');
    if (this.child.exitCode === null) await once(this.child, 'exit');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
