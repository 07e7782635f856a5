import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '../machine/databases.js';
import { DedicatedServer } from '../machine/dedicated-server.js';
import { LogoutReceiver } from '../machine/logout-receiver.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { Client } from '../support/client.js';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import type { ServiceEndpoint } from '../support/gatehouse.js';
import { environmentOf, newApp, type Persona, person, ScriptedProvider } from '../support/index.js';
import { pause } from './pause.js';
import type { ServiceFault } from './service-plant.js';
import { Service } from './services.js';

export const REPLICAS = 3;

const CLI = join(import.meta.dirname, '../../dist/src/cli.js');

/** The proxy whose `X-Forwarded-For` header the service trusts. */
export const PROXY = '127.0.50.1';

/** How long a socket may live if its credential cannot be checked, in milliseconds. The default is a minute. */
export const UNCHECKED_MS = 10_000;

/** A replica slot. Its process can stop and restart, and its connections to the servers can be cut and restored. */
export class Replica implements ServiceEndpoint {
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
    return this.front ?? this.processUrl;
  }

  /** Without the proxy in front of it. */
  get processUrl(): string {
    return this.process?.url ?? 'http://127.0.0.1:1';
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

const DISCARD_EXPIRATIONS = `
  CREATE FUNCTION discard_expiration() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN NEW.expires_at = OLD.expires_at; RETURN NEW; END';
  CREATE TRIGGER discard_expiration BEFORE UPDATE OF expires_at ON oauth_token
    FOR EACH ROW EXECUTE FUNCTION discard_expiration()`;

/** Without these triggers, no application is notified of the end of a session. */
const toggleLogouts = (change: 'ENABLE' | 'DISABLE'): string =>
  ['session_ended', 'session_deleted'].map((name) => `ALTER TABLE session ${change} TRIGGER ${name}`).join('; ');

/** The policy of the services. */
const POLICY = 'history';
const DECLARATION = { accepts: 'authenticated', scope: 'identify', allow_suspicious: true };

/** Starts one service for each fault, and without faults three. */
async function startServices(
  [first, ...others]: readonly [Replica, ...Replica[]],
  root: Persona,
  faults: readonly (ServiceFault | undefined)[] = [undefined, undefined, undefined],
): Promise<Service[]> {
  const app = await newApp(first, root);
  const client = { id: app.id, secret: app.secret ?? '' };
  await first
    .as(root)
    .patch(`/v1/admin/applications/${app.id}`, { resource_policies: [POLICY] })
    .expect(200);
  return Promise.all(faults.map((fault, index) => Service.start(index, POLICY, [first, ...others], client, fault)));
}

/** Three replicas with their own PostgreSQL, Redis and OpenID provider, and an account with all rights. */
export class Cluster {
  private addresses = 0;

  private constructor(
    readonly postgres: DedicatedServer,
    readonly redis: DedicatedServer,
    readonly replicas: readonly [Replica, ...Replica[]],
    readonly root: Persona,
    readonly provider: ScriptedProvider,
    /** Gets the logout tokens of all applications. */
    readonly receiver: LogoutReceiver,
    /** Services that keep decisions of the replicas. */
    public services: readonly Service[],
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
    const all = replicas as [Replica, ...Replica[]];
    const [first, ...others] = all;
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
    const services = await startServices(all, root);
    return new Cluster(postgres, redis, all, root, provider, await LogoutReceiver.start(), services);
  }

  /** An unused IP address from the range for benchmarks (RFC 2544). */
  newAddress(): string {
    const count = ++this.addresses;
    return ['198', 18 + ((count >> 16) & 1), (count >> 8) & 255, count & 255].join('.');
  }

  /** Replaces the services by one with each of these faults while `work` runs. */
  async withFaultyServices<T>(faults: readonly ServiceFault[], work: () => Promise<T>): Promise<T> {
    const { services } = this;
    this.services = await startServices(this.replicas, this.root, faults);
    try {
      return await work();
    } finally {
      for (const service of this.services) service.close();
      this.services = services;
    }
  }

  /** Waits until every replica is ready. */
  async isWhole(): Promise<void> {
    for (const replica of this.replicas) await until(() => replica.isReady());
  }

  /**
   * While `work` runs, the database forgets ended sessions that applications know, and discards changes of the expiration
   * of access tokens.
   */
  async withFaultyDatabase<T>(work: () => Promise<T>): Promise<T> {
    const { url } = this.postgres;
    await query(url, `${toggleLogouts('DISABLE')}; ${DISCARD_EXPIRATIONS}`);
    try {
      return await work();
    } finally {
      await query(url, `${toggleLogouts('ENABLE')}; DROP FUNCTION discard_expiration CASCADE`);
    }
  }

  /** Rotates the signing keys as an operator does. The next keys count as old enough. @returns whether it succeeded */
  async rotateKeys(): Promise<boolean> {
    const isOld = await this.change("UPDATE openid_key SET published_at = published_at - interval '24 hours'");
    return isOld && this.command('keys', 'rotate');
  }

  /** Runs a command of an operator. @returns whether it succeeded */
  async command(...args: string[]): Promise<boolean> {
    return (await ServiceProcess.start({ DATABASE_URL: this.postgres.url }, CLI, args).exited) === 0;
  }

  /** Changes the database as an operator does. @returns whether it succeeded */
  private async change(sql: string, values: unknown[] = []): Promise<boolean> {
    return query(this.postgres.url, sql, values).then(
      () => true,
      () => false,
    );
  }

  /** Makes an access token expire. */
  expireToken(id: string, afterMs: number): Promise<boolean> {
    const sql = "UPDATE oauth_token SET expires_at = now() + $2 * interval '1 ms' WHERE id = $1";
    return this.change(sql, [id, afterMs]);
  }

  /** Restricts a personal access token to a network. */
  narrowToken(id: string, network: string): Promise<boolean> {
    return this.change('UPDATE personal_token SET networks = $2 WHERE id = $1', [id, [network]]);
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
