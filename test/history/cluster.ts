import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '../machine/databases.js';
import { DedicatedServer } from '../machine/dedicated-server.js';
import { LogoutReceiver } from '../machine/logout-receiver.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { Client } from '../support/client.js';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import type { Front } from '../support/gatehouse.js';
import { environmentOf, newApp, type Persona, person, ScriptedProvider } from '../support/index.js';
import { pause } from './pause.js';
import { Service } from './services.js';

export const REPLICAS = 3;

const CLI = join(import.meta.dirname, '../../dist/src/cli.js');

/** The proxy whose `X-Forwarded-For` header the service trusts. */
export const PROXY = '127.0.50.1';

/** How long a socket may live if its credential cannot be checked, in milliseconds. The default is a minute. */
export const UNCHECKED_MS = 10_000;

/** A replica slot. Its process can stop and restart, and its connections to the servers can be cut and restored. */
export class Replica implements Front {
  private process: ServiceProcess | undefined;
  /** The URL of a proxy in front of it, if there is one. */
  front: string | undefined;

  constructor(
    readonly index: number,
    private readonly env: Readonly<Record<string, string>>,
    readonly database: CuttableProxy,
    readonly redis: CuttableProxy,
  ) {}

  get url(): string {
    return this.front ?? this.process?.url ?? 'http://127.0.0.1:1';
  }

  get anonymous(): Client {
    return new Client(this.url, undefined, []);
  }

  as(credential: string | { authorization: string }): Client {
    return new Client(this.url, typeof credential === 'string' ? credential : credential.authorization, []);
  }

  /** Retries until a process serves requests, because a process that finds no database exits. */
  async start(): Promise<void> {
    for (;;) {
      const process = ServiceProcess.start(this.env);
      try {
        await process.waitForBanner();
        this.process = process;
        return;
      } catch {
        await pause(500);
      }
    }
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const { process } = this;
    if (signal === 'SIGKILL') this.process = undefined;
    await process?.stop(signal);
    this.process = undefined;
  }

  pause(): void {
    this.process?.child.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.child.kill('SIGCONT');
  }

  async isReady(): Promise<boolean> {
    return (await this.anonymous.get('/health/ready').catch(() => null))?.status === 200;
  }
}

/** The policy of the services. */
const POLICY = 'history';
const DECLARATION = { accepts: 'authenticated', scope: 'identify', allow_suspicious: true };

async function startServices(first: Replica, replicas: readonly Replica[], root: Persona): Promise<Service[]> {
  const app = await newApp(first, root);
  const client = { id: app.id, secret: app.secret ?? '' };
  await first
    .as(root)
    .patch(`/v1/admin/applications/${app.id}`, { resource_policies: [POLICY] })
    .expect(200);
  return Promise.all([0, 1, 2].map((index) => Service.start(index, POLICY, replicas, client)));
}

/** Three replicas with their own PostgreSQL, Redis and OpenID provider, and an account with all rights. */
export class Cluster {
  private addresses = 0;

  private constructor(
    readonly postgres: DedicatedServer,
    readonly redis: DedicatedServer,
    readonly replicas: readonly Replica[],
    readonly root: Persona,
    readonly provider: ScriptedProvider,
    /** Gets the logout tokens of all applications. */
    readonly receiver: LogoutReceiver,
    /** Services that keep decisions of the replicas. */
    readonly services: readonly Service[],
  ) {}

  static async start(): Promise<Cluster> {
    const policies = join(mkdtempSync(join(tmpdir(), 'gatehouse-policies-')), 'policies.json');
    writeFileSync(policies, JSON.stringify({ policies: { [POLICY]: DECLARATION } }));
    const [postgres, redis] = await Promise.all([DedicatedServer.postgres(), DedicatedServer.redis()]);
    const provider = await ScriptedProvider.start();
    const limits = { sockets_per_address: 1e6, payloads_per_address: 1e6, attempts_per_address: 1e6 };
    const common = {
      ...environmentOf(provider),
      OAUTH_REFRESH_REUSE_LEEWAY_SECONDS: '0',
      ARGON2_CONCURRENCY: '1',
      ABUSE_BANS: 'off',
      SERVICE_POLICIES_FILE: policies,
      BACKCHANNEL_ALLOW_PRIVATE_ADDRESSES: 'true',
      TRUSTED_PROXIES: PROXY,
      GATEWAY_NUMBERS: JSON.stringify({ ...limits, unchecked_ms: UNCHECKED_MS }),
    };
    const replicas: Replica[] = [];
    for (let index = 0; index < REPLICAS; index++) {
      const [toDatabase, toRedis] = [
        await CuttableProxy.to(postgres.url, 5432),
        await CuttableProxy.to(redis.url, 6379),
      ];
      const env = { ...common, DATABASE_URL: toDatabase.url, REDIS_URL: toRedis.url };
      replicas.push(new Replica(index, env, toDatabase.proxy, toRedis.proxy));
    }
    const [first, ...others] = replicas as [Replica, ...Replica[]];
    await first.start();
    await Promise.all(others.map((replica) => replica.start()));
    const root = await person(first, 'root');
    await query(postgres.url, `UPDATE account SET acls = '{*}' WHERE id = $1`, [root.id]);
    const { issuer, clientId, clientSecret } = provider;
    await first
      .as(root)
      .patch('/v1/admin/instance/config', {
        sso: { enabled: true, issuer, client_id: clientId, client_secret: clientSecret, auto_provision: true },
      })
      .expect(200);
    // Creates the signing keys, so that every later key set contains the current and the next ones.
    await first.anonymous.get('/.well-known/jwks.json').expect(200);
    const services = await startServices(first, replicas, root);
    return new Cluster(postgres, redis, replicas, root, provider, await LogoutReceiver.start(), services);
  }

  /** An unused IP address from the range for benchmarks (RFC 2544). */
  newAddress(): string {
    const count = ++this.addresses;
    return ['198', 18 + ((count >> 16) & 1), (count >> 8) & 255, count & 255].join('.');
  }

  /** Waits until every replica is ready. */
  async isWhole(): Promise<void> {
    for (const replica of this.replicas) await until(() => replica.isReady());
  }

  /** Makes the database forget ended sessions that applications know, or remember them again. */
  async rememberLogouts(isOn: boolean): Promise<void> {
    await query(this.postgres.url, `ALTER TABLE session ${isOn ? 'ENABLE' : 'DISABLE'} TRIGGER USER`);
  }

  /** Rotates the signing keys as an operator does. The next keys count as old enough. @returns whether it succeeded */
  async rotateKeys(): Promise<boolean> {
    const { url } = this.postgres;
    try {
      await query(url, "UPDATE openid_key SET published_at = published_at - interval '24 hours'");
    } catch {
      return false;
    }
    return (await ServiceProcess.start({ DATABASE_URL: url }, CLI, ['keys', 'rotate']).exited) === 0;
  }

  async close(): Promise<void> {
    for (const service of this.services) service.close();
    await endProcesses();
    await this.receiver.stop();
    for (const { database, redis } of this.replicas) {
      database.close();
      redis.close();
    }
    await this.provider.stop();
    await this.redis.close();
    await this.postgres.close();
  }
}
