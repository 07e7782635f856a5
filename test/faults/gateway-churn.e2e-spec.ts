import { jest } from '@jest/globals';
import { emptyDatabase } from '../machine/databases.js';
import { describeWithSharedStore, redisDatabase } from '../machine/redis.js';
import { ResumingClient } from '../machine/resuming-client.js';
import { endProcesses, ServiceProcess, until } from '../machine/service-process.js';
import { type CreatedWebhook, newWebhook, type Persona, person, signIn } from '../support/index.js';

/** Size of the test. The long run uses 2000 sockets and 300 seconds. */
const SOCKETS = Number(process.env.GATEWAY_FAULT_SOCKETS ?? 48);
const SECONDS = Number(process.env.GATEWAY_FAULT_SECONDS ?? 6);
const SOCKETS_PER_SESSION = 4;
const SESSIONS_PER_ACCOUNT = 3;

jest.setTimeout((SECONDS + SOCKETS + 600) * 1000);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const pick = <T>(some: readonly T[]): T => some[Math.floor(Math.random() * some.length)] as T;

interface Login {
  readonly who: Persona;
  token: string;
  readonly clients: ResumingClient[];
  revokedAt: number | null;
}

describeWithSharedStore('gateway 9 and 11: three replicas under concurrent changes', () => {
  let replicas: ServiceProcess[];

  beforeAll(async () => {
    const numbers = {
      ...{ sockets_per_address: 1e6, payloads_per_address: 1e6, attempts_per_address: 1e6, sessions_per_user: 1e6 },
    };
    const env = {
      DATABASE_URL: await emptyDatabase(),
      REDIS_URL: redisDatabase(7),
      ARGON2_CONCURRENCY: '1',
      GATEWAY_NUMBERS: JSON.stringify(numbers),
    };
    const first = await ServiceProcess.ready(env);
    replicas = [first, ...(await Promise.all([ServiceProcess.ready(env), ServiceProcess.ready(env)]))];
  });
  afterAll(endProcesses);

  async function login(who: Persona, token: string): Promise<Login> {
    const clients = Array.from(
      { length: SOCKETS_PER_SESSION },
      () => new ResumingClient(token, () => pick(replicas), ['SESSIONS_REPLACE']),
    );
    await Promise.all(clients.map((client) => client.start()));
    return { who, token, clients, revokedAt: null };
  }

  /** Sends webhook messages without pause. Each one commits an event. Returns a function that stops this. */
  function announcing(hooks: readonly CreatedWebhook[]): () => Promise<number> {
    let isOver = false;
    let count = 0;
    const lanes = hooks.map(async ({ path }) => {
      for (; !isOver; count++) await pick(replicas).anonymous.post(path, { content: 'x' });
    });
    return async () => {
      isOver = true;
      await Promise.all(lanes);
      return count;
    };
  }

  test(`${SOCKETS} sockets whose credentials are revoked at random during commits: those get 4004 and nothing after it, others do not`, async () => {
    const logins: Login[] = [];
    const hooks: CreatedWebhook[] = [];
    while (logins.length * SOCKETS_PER_SESSION < SOCKETS) {
      const who = await person(pick(replicas));
      if (hooks.length < 4) hooks.push(await newWebhook(pick(replicas), who));
      logins.push(await login(who, who.authorization));
      for (let more = 1; more < SESSIONS_PER_ACCOUNT; more++) {
        logins.push(await login(who, await signIn(pick(replicas), who)));
      }
    }
    const stop = announcing(hooks);
    /**
     * Delays from revocation to close code 4004: `attached` for open sockets, `returning` for clients whose Resume was
     * rejected.
     */
    const delays = { attached: [] as number[], returning: [] as number[] };
    /** Revokes sessions in a random way and measures how long their sockets stay open after the response. */
    async function revoke(victim: Login): Promise<void> {
      const replica = pick(replicas);
      const others = logins.filter((each) => each.who === victim.who && each !== victim && each.revokedAt === null);
      const kind = pick(['logout', 'password', 'disable'] as const);
      let dead = [victim, ...others];
      let response: { status: number; body: { token?: string } };
      if (kind === 'logout') {
        dead = [victim];
        response = await replica.as(victim.token).post('/v1/auth/logout');
      } else if (kind === 'password') {
        const words = { password: victim.who.password, new_password: `another long password ${Math.random()}` };
        response = await replica.as(victim.token).patch('/v1/users/@me', words);
      } else response = await replica.as(victim.token).post('/v1/users/@me/disable', { password: victim.who.password });
      expect(response.status).toBeLessThan(300);
      const at = performance.now();
      for (const each of dead) each.revokedAt = at;
      const sockets = dead.flatMap(({ clients }) => clients);
      await Promise.all(
        sockets.map(async (client) => {
          const isEnded = () => (client.ends.get(4004) ?? 0) > 0;
          const some = client.isAttached || isEnded() ? delays.attached : delays.returning;
          await until(isEnded);
          some.push(performance.now() - at);
          client.close();
        }),
      );
      const reported = sockets.map(({ seen }) => seen.length);
      await pause(50);
      expect(sockets.map(({ seen }) => seen.length)).toEqual(reported);
    }
    const accounts = [...new Set(logins.map(({ who }) => who))];
    for (const who of accounts.filter((_, index) => index % 2 === 0)) {
      const victim = logins.find((each) => each.who === who) as Login;
      await revoke(victim);
      for (const { clients } of logins.filter(({ revokedAt }) => revokedAt === null)) pick(clients).drop();
    }
    const commits = await stop();
    const spared = logins.filter(({ revokedAt }) => revokedAt === null).flatMap(({ clients }) => clients);
    await until(() => spared.every(({ isOpen }) => isOpen));
    for (const client of spared) {
      expect([client.ends.get(4004) ?? 0, client.invalidations, client.repeated]).toEqual([0, 0, []]);
      client.close();
    }
    const reported = (what: string, times: number[]) => {
      times.sort((a, b) => a - b);
      const at = (share: number) => times[Math.floor((times.length - 1) * share)]?.toFixed(0);
      return `${times.length} ${what}: median ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms after the answer\n`;
    };
    process.stdout.write(reported('sockets closed', delays.attached) + reported('Resumes refused', delays.returning));
    process.stdout.write(`${commits} commits meanwhile\n`);
    expect(delays.attached.length).toBeGreaterThan(0);
    expect(spared.length).toBeGreaterThan(0);
  });

  test(`${SECONDS} s of starts, Resumes and ends on every replica: the remaining sessions list each other, and nothing else is left`, async () => {
    const who = await person(pick(replicas));
    const hook = await newWebhook(pick(replicas), who);
    const stop = announcing([hook]);
    const begin = async () => {
      const client = new ResumingClient(who.authorization, () => pick(replicas));
      await client.start();
      return client;
    };
    const clients = [await begin(), await begin()];
    const endsAt = performance.now() + SECONDS * 1000;
    while (performance.now() < endsAt) {
      await pause(100);
      if (clients.length < 6) clients.push(await begin());
      pick(clients).drop();
      if (clients.length === 6) clients.shift()?.close();
    }
    await stop();
    const kept = clients.splice(0, 3);
    // The kept clients resume once more. The others close for good.
    for (const client of clients) client.close();
    const listOf = ({ seen }: ResumingClient) => {
      const { d } = seen.findLast(({ t }) => t === 'SESSIONS_REPLACE') ?? {};
      return new Set(((d ?? []) as { session_id: string }[]).map(({ session_id }) => session_id));
    };
    await until(() => kept.every(({ isOpen }) => isOpen));
    // All clients are notified of the new session. The list contains ended sessions until they expire.
    const last = await begin();
    const all = ['all', last.sessionId, ...kept.map(({ sessionId }) => sessionId)];
    await until(() => [last, ...kept].every((client) => all.every((id) => listOf(client).has(id))));
    for (const client of [last, ...kept]) {
      expect([client.invalidations, client.repeated]).toEqual([0, []]);
      client.close();
    }
  });
});
