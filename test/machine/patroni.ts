import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { childrenOf } from './dedicated-server.js';
import { type Account, account } from './poolers.js';
import { freePort } from './ports.js';
import { describeUnless, missing, programPath } from './programs.js';
import { accepts } from './proxies.js';
import { until } from './service-process.js';

/** `describe`, or a skipped suite with the reason in its title if a program of the cluster is missing. */
export const describeWithPatroni = describeUnless(
  missing('initdb', 'postgres', 'patroni', 'etcd', 'haproxy') ??
    (account ? undefined : 'root, and no user postgres that reaches temporary files'),
);

/** The shortest that Patroni accepts, in seconds: the time until a standby takes the place of a silent primary. */
const TTL = 20;

function launch(program: string, args: readonly string[], cwd: string): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe'];
  return spawn(programPath(program) as string, args, { cwd, stdio, ...(account as Account) });
}

function writeOwned(path: string, text: string): void {
  const { uid, gid } = account as Account;
  writeFileSync(path, text);
  chownSync(path, uid, gid);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

/** One server of PostgreSQL and the Patroni that keeps it. */
class Node {
  private child: ChildProcess | undefined;
  private said = '';

  private constructor(
    readonly name: string,
    readonly port: number,
    readonly restPort: number,
    private readonly folder: string,
  ) {}

  static async create(name: string, folder: string, etcdPort: number): Promise<Node> {
    const node = new Node(name, await freePort(), await freePort(), folder);
    const settings = {
      scope: 'gatehouse',
      name,
      restapi: { listen: `127.0.0.1:${node.restPort}`, connect_address: `127.0.0.1:${node.restPort}` },
      // Over the API 3 of etcd, Patroni 3.0 takes the leader key back after a suspension, without a comparison.
      etcd: { host: `127.0.0.1:${etcdPort}` },
      bootstrap: {
        dcs: { ttl: TTL, loop_wait: 1, retry_timeout: 3, synchronous_mode: true, postgresql: { use_pg_rewind: true } },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, { auth: 'trust' }],
      },
      postgresql: {
        listen: `127.0.0.1:${node.port}`,
        connect_address: `127.0.0.1:${node.port}`,
        data_dir: node.data,
        bin_dir: dirname(realpathSync(programPath('postgres') as string)),
        pgpass: join(folder, `${name}.pgpass`),
        authentication: { superuser: { username: 'gatehouse' }, replication: { username: 'gatehouse' } },
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
        parameters: { unix_socket_directories: folder, max_connections: 100 },
      },
    };
    // JSON is YAML.
    writeOwned(node.settings, JSON.stringify(settings));
    return node;
  }

  private get data(): string {
    return join(this.folder, this.name);
  }

  private get settings(): string {
    return join(this.folder, `${this.name}.yml`);
  }

  start(): void {
    this.child = launch('patroni', [this.settings], this.folder);
    this.child.stderr?.on('data', (chunk) => {
      this.said += chunk;
    });
  }

  /** Whether Patroni answers that this server has a role. @throws Error if it gave up */
  async is(role: 'primary' | 'synchronous'): Promise<boolean> {
    if (this.child?.exitCode) throw new Error(`Patroni of ${this.name} ended: ${this.said}`);
    const response = await fetch(`http://127.0.0.1:${this.restPort}/${role}`).catch(() => undefined);
    return response?.status === 200;
  }

  async switchover(candidate: Node): Promise<void> {
    const body = JSON.stringify({ leader: this.name, candidate: candidate.name });
    const response = await fetch(`http://127.0.0.1:${this.restPort}/switchover`, { method: 'POST', body });
    if (response.status !== 200) throw new Error(await response.text());
  }

  private signal(name: NodeJS.Signals): void {
    const postmaster = Number(readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
    this.child?.kill(name);
    process.kill(postmaster, name);
    for (const pid of childrenOf(postmaster)) {
      try {
        process.kill(pid, name);
      } catch {
        // This session ended in the meantime.
      }
    }
  }

  /** Ends both immediately, like the loss of a machine. */
  kill(): void {
    this.signal('SIGKILL');
  }

  /** Suspends both until `resume` is called, like a network that is cut. */
  cutOff(): void {
    this.signal('SIGSTOP');
  }

  resume(): void {
    this.signal('SIGCONT');
  }

  async close(): Promise<void> {
    if (this.child?.exitCode !== null) return;
    // A test that failed leaves it suspended.
    this.signal('SIGCONT');
    await ended(this.child, 'SIGTERM');
  }
}

/** A primary and a synchronous standby of Patroni, with etcd, behind HAProxy, which sends connections to the primary. */
export class PatroniCluster {
  private constructor(
    readonly nodes: readonly [Node, Node],
    /** Of HAProxy. */
    readonly port: number,
    private readonly folder: string,
    private readonly programs: readonly ChildProcess[],
  ) {}

  static async start(): Promise<PatroniCluster> {
    const { uid, gid } = account as Account;
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-patroni-'));
    const etcd = join(folder, 'etcd');
    mkdirSync(etcd, { mode: 0o700 });
    for (const path of [folder, etcd]) chownSync(path, uid, gid);
    const [client, peer] = [await freePort(), await freePort()];
    const [clients, peers] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    const args = [
      ...['--name', 'one', '--data-dir', etcd, '--initial-cluster', `one=${peers}`, '--log-level', 'error'],
      ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
      '--enable-v2',
      ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
    ];
    const programs = [launch('etcd', args, folder)];
    await until(() => accepts(client));
    const nodes = [await Node.create('a', folder, client), await Node.create('b', folder, client)] as const;
    const port = await freePort();
    writeOwned(join(folder, 'haproxy.cfg'), proxySettings(port, nodes));
    programs.push(launch('haproxy', ['-db', '-q', '-f', 'haproxy.cfg'], folder));
    const cluster = new PatroniCluster(nodes, port, folder, programs);
    nodes[0].start();
    await until(() => nodes[0].is('primary'));
    nodes[1].start();
    await until(() => nodes[1].is('synchronous'));
    await until(() => accepts(port));
    return cluster;
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
    await Promise.all(this.programs.map((program) => ended(program, 'SIGKILL')));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The settings of `deploy/patroni/haproxy.cfg` with the addresses of this cluster. */
const proxySettings = (port: number, nodes: readonly Node[]): string => {
  const shipped = readFileSync(join(import.meta.dirname, '../../deploy/patroni/haproxy.cfg'), 'utf8');
  return nodes.reduce(
    (text, node, index) =>
      text.replace(
        `db${index + 1}.internal:5432 check port 8008`,
        `127.0.0.1:${node.port} check port ${node.restPort}`,
      ),
    shipped.replace(':5000', `:${port}`),
  );
};
