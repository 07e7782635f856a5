import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Certificate } from '../support/certificate.js';
import { freePort } from './ports.js';
import { programPath } from './programs.js';
import { until } from './service-process.js';

const HOST = '127.0.0.1';

export const hasDedicatedRedis = programPath('redis-server') !== undefined;

/** The options of a client that connects with TLS. */
const clientTls = (certificate: Certificate | undefined) => (certificate ? { tls: { ca: certificate.cert } } : {});

/** A Redis process of a group. */
export class RedisNode {
  private child: ChildProcess | undefined;
  readonly client: Redis;

  private constructor(
    readonly port: number,
    private readonly directory: string,
    private readonly settings: readonly string[],
    credentials: { username?: string; password?: string },
    certificate: Certificate | undefined,
  ) {
    this.client = new Redis({ host: HOST, port, lazyConnect: true, ...credentials, ...clientTls(certificate) });
    this.client.on('error', () => {});
  }

  /**
   * `lines`: the configuration file. `more`: further command-line options. With a certificate, all connections of the
   * process need TLS.
   */
  static async start(
    lines: readonly string[],
    more: readonly string[] = [],
    credentials = {},
    certificate?: Certificate,
  ): Promise<RedisNode> {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-redis-'));
    const port = await freePort();
    const file = join(directory, 'redis.conf');
    const ports = certificate ? tlsLines(port, directory, certificate) : [`port ${port}`];
    writeFileSync(file, [`bind ${HOST}`, ...ports, 'save ""', `dir ${directory}`, ...lines].join('\n'));
    const node = new RedisNode(port, directory, [file, ...more], credentials, certificate);
    await node.start();
    return node;
  }

  get address(): string {
    return `${HOST}:${this.port}`;
  }

  async start(): Promise<void> {
    const child = spawn(programPath('redis-server') as string, this.settings, { stdio: 'ignore' });
    this.child = child;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      return this.client.ping().then(
        () => true,
        () => false,
      );
    });
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  /** Starts a killed process again, or resumes a paused one. */
  async revive(): Promise<void> {
    if (this.child) this.child.kill('SIGCONT');
    else await this.start();
  }

  async close(): Promise<void> {
    this.client.disconnect();
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function tlsLines(port: number, directory: string, { cert, key }: Certificate): string[] {
  const [certFile, keyFile] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  return [
    ...['port 0', `tls-port ${port}`, `tls-cert-file ${certFile}`, `tls-key-file ${keyFile}`],
    ...[`tls-ca-cert-file ${certFile}`, 'tls-auth-clients no', 'tls-replication yes'],
  ];
}

const USER = 'gatehouse';
const PASSWORD = 'p@ss:word';
const ADMIN_PASSWORD = 'admin-password';
const NAME = 'main';

/** The commands and keys that the operators' guide allows to the service. */
export const ACCESS_RULES = '~gatehouse:* &gatehouse:* +@all -@dangerous +info';

/** A primary and a replica with access rules, and a Sentinel that promotes the replica. */
export class SentinelGroup {
  private constructor(
    readonly nodes: [RedisNode, RedisNode],
    readonly sentinel: RedisNode,
    private readonly protocol: string,
  ) {}

  /** With a certificate for 127.0.0.1, all connections use TLS. */
  static async start(certificate?: Certificate): Promise<SentinelGroup> {
    const credentials = { username: 'admin', password: ADMIN_PASSWORD };
    const lines = [
      ...['user default off', `user admin on >${ADMIN_PASSWORD} ~* &* +@all`],
      ...['masteruser admin', `masterauth ${ADMIN_PASSWORD}`, 'repl-diskless-sync-delay 0'],
      `user ${USER} on >${PASSWORD} ${ACCESS_RULES}`,
    ];
    const primary = await RedisNode.start(lines, [], credentials, certificate);
    const follows = `replicaof ${HOST} ${primary.port}`;
    const replica = await RedisNode.start([...lines, follows], [], credentials, certificate);
    await until(async () => (await replica.client.info('replication')).includes('master_link_status:up'));
    const sentinel = await RedisNode.start(
      [
        `sentinel monitor ${NAME} ${HOST} ${primary.port} 1`,
        `sentinel auth-user ${NAME} admin`,
        `sentinel auth-pass ${NAME} ${ADMIN_PASSWORD}`,
        `sentinel down-after-milliseconds ${NAME} 500`,
        `sentinel failover-timeout ${NAME} 3000`,
        `requirepass ${ADMIN_PASSWORD}`,
      ],
      ['--sentinel'],
      { password: ADMIN_PASSWORD },
      certificate,
    );
    const protocol = certificate ? 'rediss-sentinel' : 'redis-sentinel';
    const group = new SentinelGroup([primary, replica], sentinel, protocol);
    await until(async () => Number((await group.state())['num-slaves']) === 1);
    return group;
  }

  get url(): string {
    const user = `${USER}:${encodeURIComponent(PASSWORD)}`;
    return `${this.protocol}://${user}@${this.sentinel.address}/${NAME}?sentinel_password=${ADMIN_PASSWORD}`;
  }

  private async state(): Promise<Record<string, string>> {
    const found = (await this.sentinel.client.call('SENTINEL', 'MASTER', NAME)) as string[];
    return Object.fromEntries(found.flatMap((name, at) => (at % 2 ? [] : [[name, found[at + 1] ?? '']])));
  }

  /** The node that Sentinel names as the primary. */
  async primary(): Promise<RedisNode> {
    const { port } = await this.state();
    return this.nodes.find((node) => String(node.port) === port) as RedisNode;
  }

  /** Waits until Sentinel knows that the other node replicates the primary. */
  async whenReplicated(): Promise<void> {
    const primary = await this.primary();
    await until(async () => (await primary.client.info('replication')).includes('state=online'));
    await until(async () => {
      const replicas = (await this.sentinel.client.call('SENTINEL', 'REPLICAS', NAME)) as string[][];
      return replicas.some((replica) => replica[replica.indexOf('flags') + 1] === 'slave');
    });
  }

  failOver(): Promise<unknown> {
    return this.sentinel.client.call('SENTINEL', 'FAILOVER', NAME);
  }

  async close(): Promise<void> {
    for (const node of [this.sentinel, ...this.nodes]) await node.close();
  }
}

const NODES = 3;
const redisCli = programPath('redis-cli');

/** A cluster of three primaries, each with a replica if `hasReplicas`. */
export class RedisCluster {
  private constructor(
    readonly nodes: readonly RedisNode[],
    private readonly certificate: Certificate | undefined,
  ) {}

  /** With a certificate for 127.0.0.1, all connections use TLS. */
  static async start(hasReplicas: boolean, certificate?: Certificate): Promise<RedisCluster> {
    const nodes: RedisNode[] = [];
    while (nodes.length < (hasReplicas ? 2 : 1) * NODES) {
      const lines = ['cluster-enabled yes', `cluster-port ${await freePort()}`, 'cluster-node-timeout 1000'];
      if (certificate) lines.push('tls-cluster yes');
      nodes.push(await RedisNode.start([...lines, 'repl-diskless-sync-delay 0'], [], {}, certificate));
    }
    const cluster = new RedisCluster(nodes, certificate);
    const replicas = ['--cluster-replicas', hasReplicas ? '1' : '0'];
    await cluster.cli('create', ...nodes.map(({ address }) => address), ...replicas, '--cluster-yes');
    await cluster.whenOk();
    return cluster;
  }

  get url(): string {
    return `${this.certificate ? 'rediss' : 'redis'}-cluster://${this.nodes.map(({ address }) => address).join(',')}`;
  }

  /** Runs `redis-cli --cluster`. */
  private async cli(command: string, ...args: string[]): Promise<void> {
    const tls = this.certificate ? ['--tls', '--cacert', this.certificate.path] : [];
    const child = spawn(redisCli as string, [...tls, '--cluster', command, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`redis-cli --cluster ${command} ended with ${code}: ${out}`);
  }

  /** Waits until all slots are served and every primary has its replica. */
  async whenOk(): Promise<void> {
    for (const { client } of this.nodes) {
      await until(async () => {
        const state = String(await client.cluster('INFO'));
        const nodes = String(await client.cluster('NODES'));
        return state.includes('cluster_state:ok') && !/fail|handshake/.test(nodes);
      });
    }
  }

  async primaries(): Promise<RedisNode[]> {
    const roles = await Promise.all(this.nodes.map(({ client }) => client.info('replication')));
    return this.nodes.filter((_, index) => roles[index]?.includes('role:master'));
  }

  /** Moves this many slots from the first primary to the second one. */
  async reshard(slots: number): Promise<void> {
    const [from, to] = await this.primaries();
    if (!from || !to) throw new Error('a cluster of one primary');
    const [source, target] = [String(await from.client.cluster('MYID')), String(await to.client.cluster('MYID'))];
    const which = ['--cluster-from', source, '--cluster-to', target, '--cluster-slots', String(slots)];
    await this.cli('reshard', from.address, ...which, '--cluster-yes');
  }

  /** Waits until a replica of a primary that was killed or paused serves its slots. */
  async whenPromoted(former: RedisNode): Promise<void> {
    const others = this.nodes.filter((node) => node !== former);
    await until(async () => {
      const states = await Promise.all(others.map(({ client }) => client.cluster('INFO')));
      const roles = await Promise.all(others.map(({ client }) => client.info('replication')));
      const isOk = states.every((state) => String(state).includes('cluster_state:ok'));
      return isOk && roles.filter((role) => role.includes('role:master')).length === NODES;
    });
  }

  async close(): Promise<void> {
    for (const node of this.nodes) await node.close();
  }
}
