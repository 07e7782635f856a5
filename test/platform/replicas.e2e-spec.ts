import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { emptyDatabase, query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { hasRedis, redisDatabase } from '../machine/redis.js';
import { endProcesses, identify, ServiceProcess, until } from '../machine/service-process.js';
import {
  exchange,
  expectApiError,
  mailTo,
  newApp,
  newCode,
  newTokens,
  type Persona,
  person,
  refresh,
  signIn,
  type TestResponse,
} from '../support/index.js';
import { ScriptedProvider } from '../support/sso.js';

const REDIS_URL = redisDatabase(12);

const ROUNDS = Number(process.env.REPLICA_ROUNDS ?? 20);

const me = (service: ServiceProcess, authorization: string) => service.as(authorization).get('/v1/users/@me');

/** Prints the durations in milliseconds. */
function report(what: string, times: number[]): void {
  const sorted = [...times].sort((x, y) => x - y);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.toFixed(1);
  process.stdout.write(`${what}: median ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms (${sorted.length})\n`);
}

const PROXY = '127.0.50.1';

type Three = [ServiceProcess, ServiceProcess, ServiceProcess];

describeOnPostgres(`three processes on one database${hasRedis ? ' and one Redis' : ', without Redis'}`, () => {
  let env: Record<string, string>;
  let replicas: Three;
  let root: Persona;
  let alice: Persona;
  let provider: ScriptedProvider;

  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    env = {
      DATABASE_URL: await emptyDatabase(),
      TRUSTED_PROXIES: PROXY,
      OAUTH_REFRESH_REUSE_LEEWAY_SECONDS: '0',
      SSO_ALLOW_PRIVATE_ADDRESSES: 'true',
      NODE_EXTRA_CA_CERTS: provider.certificate.path,
      ...(hasRedis ? { REDIS_URL } : {}),
    };
    replicas = [ServiceProcess.start(env), ServiceProcess.start(env), ServiceProcess.start(env)];
    await Promise.all(replicas.map((replica) => replica.waitForBanner()));
    root = await person(replicas[0], 'root');
    alice = await person(replicas[1], 'alice');
    await query(env.DATABASE_URL as string, `UPDATE account SET acls = '{*}' WHERE id = $1`, [root.id]);
  });
  afterAll(async () => {
    await endProcesses();
    await provider.stop();
  });

  /** Sends the same request to all replicas in parallel. */
  const everywhere = <T>(work: (replica: ServiceProcess) => Promise<T>): Promise<T[]> =>
    Promise.all(replicas.map(work));

  test('FLT-30: started in parallel on an empty database, one of them migrated it, one shows the setup token', async () => {
    const applied = await query(env.DATABASE_URL as string, 'SELECT name FROM migration');
    expect(new Set(applied.map(({ name }) => name)).size).toBe(applied.length);
    expect(applied.length).toBeGreaterThan(0);
    expect(replicas.filter(({ out }) => out.includes('shown only now'))).toHaveLength(1);
    expect(replicas.map(({ err }) => err)).toEqual(['', '', '']);
  });

  test('FLT-38: a revocation on one is applied on all others after its response', async () => {
    const [a, b, c] = replicas;
    const app = await newApp(a, alice);
    for (let round = 0; round < ROUNDS; round++) {
      const session = await signIn(c, alice);
      const { access_token: access } = await newTokens(b, alice, app);
      for (const credential of [session, `Bearer ${access}`]) {
        expect((await everywhere((replica) => me(replica, credential))).map(({ status }) => status)).toEqual([
          ...[200, 200, 200],
        ]);
      }
      expect((await a.as(session).post('/v1/auth/logout')).status).toBe(204);
      for (const response of await everywhere((replica) => me(replica, session)))
        expectApiError(response, 'UNAUTHORIZED');
      const { id, secret = '' } = app;
      const credentials = { client_id: id, client_secret: secret };
      expect((await b.anonymous.form('/v1/oauth2/token/revoke', { token: access, ...credentials })).status).toBe(200);
      for (const response of await everywhere((replica) => me(replica, `Bearer ${access}`))) {
        expectApiError(response, 'UNAUTHORIZED');
      }
    }
  });

  test('GWY-16: a revocation closes the sockets of every replica with 4004', async () => {
    const [a] = replicas;
    const after: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const session = await signIn(a, alice);
      const sockets = await everywhere((replica) => identify(replica, session));
      await a.as(session).post('/v1/auth/logout');
      const answeredAt = performance.now();
      await Promise.all(
        sockets.map(async ({ closed }) => {
          expect(await closed).toEqual([4004, 'Invalid token']);
          after.push(Math.max(0, performance.now() - answeredAt));
        }),
      );
    }
    report('sockets closed after a revocation', after);
  });

  test('FLT-40: a one-time secret presented to all of them in parallel is accepted once', async () => {
    const [a] = replicas;
    const app = await newApp(a, alice);
    const winners = (responses: TestResponse[]) => {
      expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
      return responses.filter(({ status }) => status < 300).length;
    };
    const thrice = (work: (replica: ServiceProcess) => Promise<TestResponse>) =>
      Promise.all([...replicas, ...replicas, ...replicas].map(work));
    for (let round = 0; round < Math.ceil(ROUNDS / 4); round++) {
      const code = await newCode(a, alice, app);
      expect(winners(await thrice((replica) => exchange(replica, app, code)))).toBe(1);

      const { refresh_token: token } = await newTokens(a, alice, app);
      expect(winners(await thrice((replica) => refresh(replica, app, token)))).toBe(1);

      const owner = await person(a, 'owner');
      const { metadata } = await mailTo(a, owner.email, 'email_verification');
      expect(winners(await thrice((each) => each.anonymous.post('/v1/auth/verify', { token: metadata.token })))).toBe(
        1,
      );

      await a.anonymous.post('/v1/auth/forgot', { email: owner.email });
      const mail = await mailTo(a, owner.email, 'password_reset');
      const reset = { token: mail.metadata.token, password: 'another long password' };
      expect(winners(await thrice((each) => each.anonymous.post('/v1/auth/reset', reset)))).toBe(1);
    }
  });

  test('FLT-39: a ban and its end, an ACL and a setting apply on all replicas', async () => {
    const [a, b, c] = replicas;
    const address = '203.0.113.40';
    const entries = '/v1/admin/blocklists/ip/entries';
    const visit = (replica: ServiceProcess) =>
      replica.anonymous.from(PROXY).with({ 'x-forwarded-for': address }).get('/.well-known/service');
    expect((await a.as(root).post(entries, { ip: address })).status).toBe(204);
    for (const replica of replicas) await until(async () => (await visit(replica)).status === 403);
    expectApiError(await visit(b), 'GLOBAL_IP_BANNED');
    expect((await b.as(root).delete(`${entries}/${address}`)).status).toBe(204);
    for (const replica of replicas) await until(async () => (await visit(replica)).status === 200);

    const config = { registration: { mode: 'closed' } };
    expect((await c.as(root).patch('/v1/admin/instance/config', config)).status).toBe(200);
    const mode = async (replica: ServiceProcess) =>
      (await replica.anonymous.get('/.well-known/service')).body.registration.mode;
    for (const replica of replicas) await until(async () => (await mode(replica)) === 'closed');
    await c.as(root).patch('/v1/admin/instance/config', { registration: { mode: 'open' } });
    for (const replica of replicas) await until(async () => (await mode(replica)) === 'open');

    expectApiError(await b.as(alice).get('/v1/admin/acls'), 'MISSING_PERMISSIONS');
    await query(env.DATABASE_URL as string, `UPDATE account SET acls = '{admin:authenticate}' WHERE id = $1`, [
      alice.id,
    ]);
    for (const response of await everywhere((replica) => replica.as(alice).get('/v1/admin/acls'))) {
      expect(response.status).toBe(200);
    }
  });

  test('FLT-39: enforcement of single sign-on applies on every replica, and so does its end', async () => {
    const [a, ...others] = replicas;
    const configure = async (sso: object) => {
      const response = await a.as(root).patch('/v1/admin/instance/config', { sso });
      expect({ status: response.status, body: response.body }).toMatchObject({ status: 200, body: { sso } });
      return performance.now();
    };
    const { issuer, clientId: client_id, clientSecret: client_secret = null } = provider;
    const section = { enabled: true, issuer, client_id, auto_provision: true };
    expect((await a.as(root).patch('/v1/admin/instance/config', { sso: { ...section, client_secret } })).status).toBe(
      200,
    );
    const { body: trial } = await a.as(root).post('/v1/admin/instance/sso/test');
    expect(trial).toMatchObject({ ok: true, issuer });

    const login = (replica: ServiceProcess) =>
      replica.anonymous.post('/v1/auth/login', { email: alice.email, password: alice.password });
    const sessions = () =>
      query(env.DATABASE_URL as string, 'SELECT id FROM session WHERE account_id = $1 ORDER BY id', [alice.id]);
    const after: { [state: string]: number[] } = { on: [], off: [] };
    for (let round = 0; round < Math.ceil(ROUNDS / 4); round++) {
      const switchedOn = await configure({ enforced: true });
      await Promise.all(
        others.map(async (replica) => {
          await until(async () => (await login(replica)).status === 403);
          after.on?.push(performance.now() - switchedOn);
        }),
      );
      const before = await sessions();
      for (const response of await everywhere(login)) {
        expectApiError(response, 'SSO_REQUIRED');
        expect(response.text).not.toContain('token');
      }
      expect(await sessions()).toEqual(before);
      for (const response of await everywhere((replica) => me(replica, alice.authorization))) {
        expect([response.status, response.body.id]).toEqual([200, alice.id]);
      }
      const switchedOff = await configure({ enforced: false });
      await Promise.all(
        others.map(async (replica) => {
          await until(async () => (await login(replica)).status === 200);
          after.off?.push(performance.now() - switchedOff);
        }),
      );
    }
    for (const [state, times] of Object.entries(after)) report(`enforcement of single sign-on ${state}`, times);
  });

  test('FLT-28: a rolling restart under load fails no request', async () => {
    const balancer = await Balancer.over(replicas);
    const session = await signIn(replicas[0], root);
    let running = true;
    const responses = new Map<number, number>();
    const callers = Array.from({ length: 8 }, async () => {
      while (running) {
        const status = await balancer.get('/v1/users/@me', session);
        responses.set(status, (responses.get(status) ?? 0) + 1);
      }
    });
    for (let index = 0; index < replicas.length; index++) {
      const next = await ServiceProcess.ready(env);
      const old = replicas[index] as ServiceProcess;
      replicas[index] = next;
      balancer.upstreams.push(next);
      expect(await old.stop()).toBe(0);
      balancer.upstreams.splice(balancer.upstreams.indexOf(old), 1);
      expect(old.err).toBe('');
    }
    running = false;
    await Promise.all(callers);
    balancer.close();
    expect(balancer.broken).toEqual([]);
    expect([...responses.keys()]).toEqual([200]);
    expect(responses.get(200)).toBeGreaterThan(100);
  });
});

/**
 * A load balancer in front of the replicas. It tries the next replica if one is unreachable or announces its shutdown.
 */
class Balancer {
  /** Responses that ended before they were complete. */
  readonly broken: string[] = [];
  private turn = 0;
  // Without a timeout, a slow caller can still use its idle connection.
  private readonly server = createServer({ keepAliveTimeout: 0 }, (req, res) => {
    const candidates = [...this.upstreams];
    const first = this.turn++;
    const attempt = (index: number) => {
      const { url } = candidates[(first + index) % candidates.length] as ServiceProcess;
      const isLast = index === candidates.length - 1;
      const onward = request(`${url}${req.url}`, { headers: req.headers, agent: false }, (response) => {
        if (response.statusCode === 503 && response.headers.connection === 'close' && !isLast) {
          response.resume();
          attempt(index + 1);
        } else {
          res.writeHead(response.statusCode ?? 502);
          response.pipe(res);
        }
      });
      onward.on('error', (error) => {
        if (!isLast && !res.headersSent) return attempt(index + 1);
        this.broken.push(`${url}: ${error.message}`);
        if (res.headersSent) res.destroy();
        else res.writeHead(502).end();
      });
      onward.end();
    };
    attempt(0);
  });

  private constructor(readonly upstreams: ServiceProcess[]) {}

  static async over(replicas: readonly ServiceProcess[]): Promise<Balancer> {
    const balancer = new Balancer([...replicas]);
    await new Promise<void>((resolve) => balancer.server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  async get(path: string, authorization: string): Promise<number> {
    const { port } = this.server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } });
    await response.arrayBuffer();
    return response.status;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
