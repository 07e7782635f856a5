import { setTimeout as delay } from 'node:timers/promises';
import { LogoutReceiver } from '../machine/logout-receiver.js';
import { superuser } from '../support/admin.js';
import {
  type App,
  eventually,
  exchange,
  type Gatehouse,
  gatehouse,
  newApp,
  newCode,
  OriginServer,
  type Persona,
  person,
  shortenTimers,
  signIn,
  withGatehouse,
} from '../support/index.js';

/** The pause between two looks for due tokens. */
const POLL_MS = 5000;
const env = { BACKCHANNEL_ALLOW_PRIVATE_ADDRESSES: 'true', IP_AUTHORIZATION: 'off' };

let service: Gatehouse;
let owner: Persona;
let receiver: LogoutReceiver;
let count = 0;
beforeAll(async () => {
  service = await gatehouse({ env });
  owner = await superuser(service);
});
afterAll(() => service.close());
// Each test has its own host, because a host has limits.
beforeEach(async () => {
  receiver = await LogoutReceiver.start(`127.0.3.${++count}`);
});
afterEach(async () => {
  // No later attempt of a test is counted in the next one.
  await service.sql('DELETE FROM backchannel_logout');
  await receiver.stop();
});

/** Signs an account in at an application and ends the session, so that one logout token is due. */
async function signOut(on: Gatehouse, account: Persona, app: App): Promise<void> {
  const authorization = await signIn(on, account);
  const code = await newCode(on, { authorization }, app, { scope: 'openid' });
  expect((await exchange(on, app, code)).status).toBe(200);
  expect((await on.as(authorization).post('/v1/auth/logout')).status).toBe(204);
}

async function oneToken(): Promise<App> {
  const app = await newApp(service, owner, { backchannel_logout_uri: receiver.url });
  await signOut(service, await person(service, 'who'), app);
  return app;
}

/** The row of the only token of an application, after a number of attempts. */
const afterAttempts = (app: App, attempts: number, on = service) =>
  eventually(`${attempts} attempts`, async () => {
    const [row] = await on.sql(
      'SELECT attempts, is_delivered, ended_at, next_attempt_at FROM backchannel_logout WHERE application_id = $1',
      [app.id],
    );
    return row?.attempts === attempts ? row : undefined;
  });

async function makeDue(app: App): Promise<void> {
  await service.sql('UPDATE backchannel_host SET next_attempt_at = now()');
  await service.sql('UPDATE backchannel_logout SET next_attempt_at = now() WHERE application_id = $1', [app.id]);
  expect((await service.as(await signIn(service, owner)).post('/v1/auth/logout')).status).toBe(204);
}

/** The values of the counter, by outcome. */
async function counted() {
  const { text } = await service.anonymous.get('/metrics');
  const found = text.matchAll(/^gatehouse_backchannel_logouts_total\{outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, outcome, value]) => [outcome, Number(value)]));
}

describe('6 outcomes of logout tokens', () => {
  test.each([
    [200, true],
    [204, true],
    [299, true],
    [300, false],
    [399, false],
    [401, false],
  ])('%d: delivered is %s, and the metric counts it', async (status, isDelivered) => {
    receiver.respond = () => status;
    const before = await counted();
    const row = await afterAttempts(await oneToken(), 1);
    expect([row.is_delivered, row.ended_at !== null]).toEqual(isDelivered ? [true, true] : [null, false]);
    const outcome = isDelivered ? 'delivered' : 'retried';
    expect(await counted()).toEqual({ ...before, [outcome]: (before[outcome] ?? 0) + 1 });
  });

  test('the metric counts a token that failed', async () => {
    receiver.respond = () => 400;
    const before = await counted();
    await afterAttempts(await oneToken(), 1);
    expect(await counted()).toEqual({ ...before, failed: (before.failed ?? 0) + 1 });
  });

  test('the pause after an attempt doubles, from 5 seconds, with 25 % jitter', async () => {
    let respondedAt = 0;
    receiver.respond = () => {
      respondedAt = Date.now();
      return 503;
    };
    const app = await oneToken();
    for (const [index, seconds] of [5, 10, 20, 40].entries()) {
      const { next_attempt_at } = await afterAttempts(app, index + 1);
      expect(next_attempt_at.getTime()).toBeGreaterThanOrEqual(respondedAt + seconds * 750);
      expect(next_attempt_at.getTime()).toBeLessThanOrEqual(Date.now() + seconds * 1250);
      await makeDue(app);
    }
  });

  test('the body of a response is ignored, whatever its length', async () => {
    receiver.isEndless = true;
    const row = await afterAttempts(await oneToken(), 1);
    expect(row).toMatchObject({ is_delivered: true });
  });

  test('without a limit, a page of the list has 50 tokens', async () => {
    const app = await newApp(service, owner);
    await service.sql(
      `INSERT INTO backchannel_logout (host, url, application_id, ended_at, is_delivered)
       SELECT 'app.example', 'https://app.example/', $1, now(), true FROM generate_series(1, 51)`,
      [app.id],
    );
    const path = `/v1/oauth2/applications/${app.id}/backchannel-logouts`;
    expect((await service.as(owner).get(path)).body).toHaveLength(50);
    expect((await service.as(owner).get(path, { query: { limit: '100' } })).body).toHaveLength(51);
  });

  test('by default, only https to public addresses', async () => {
    const network = await new OriginServer().open();
    await withGatehouse({ env: { IP_AUTHORIZATION: 'off' }, network }, async (strict) => {
      const alice = await person(strict, 'alice');
      const app = await newApp(strict, alice);
      const attempts = async (attempts: number, url: string) => {
        // Registration rejects these URLs. An operator could have allowed them before.
        await strict.sql('UPDATE application SET backchannel_logout_uri = $2 WHERE id = $1', [app.id, url]);
        await signOut(strict, alice, app);
        await eventually('the attempt', async () => {
          const rows = await strict.sql('SELECT 1 FROM backchannel_logout WHERE attempts > 0 AND ended_at IS NULL');
          return rows.length === attempts || undefined;
        });
      };
      await attempts(1, 'http://app.example/logout');
      expect(network.connections).toBe(0);
      await attempts(2, receiver.url.replace('http:', 'https:'));
      expect(receiver.connections).toBe(0);
      // The server does not speak TLS.
      await attempts(3, 'https://secure.example/logout');
      expect(network.connections).toBe(1);
      expect(network.requests).toEqual([]);
    });
    await network.close();
  });

  test('without OpenID Connect, no token is sent, even if one is due', async () => {
    const restoreTimers = shortenTimers(POLL_MS, 10);
    await withGatehouse({ env: { ...env, OPENID: 'off' } }, async (off) => {
      const who = await person(off, 'who');
      await off.sql(
        `INSERT INTO backchannel_logout (host, url, application_id, account_id, sid) VALUES ($1, $2, 1, $3, 'sid')`,
        [receiver.address, receiver.url, who.id],
      );
      expect((await off.as(who).post('/v1/auth/logout')).status).toBe(204);
      await delay(300);
      expect(await off.sql('SELECT attempts FROM backchannel_logout')).toEqual([{ attempts: 0 }]);
      expect(await off.sql('SELECT 1 FROM backchannel_host')).toEqual([]);
    });
    restoreTimers();
  });

  test('the end of a session starts the delivery without waiting for the next look', async () => {
    const restoreTimers = shortenTimers(POLL_MS, 3_600_000);
    await withGatehouse({ env }, async (waiting) => {
      const app = await newApp(waiting, await person(waiting, 'owner'), { backchannel_logout_uri: receiver.url });
      await signOut(waiting, await person(waiting, 'who'), app);
      await eventually('the request', async () => receiver.received.length === 1 || undefined);
    });
    restoreTimers();
  });

  test('a shutdown waits for the requests in progress', async () => {
    receiver.delayMs = 1000;
    const stopping = await gatehouse({ env });
    let closing: Promise<void> | undefined;
    receiver.respond = () => {
      closing = stopping.close();
      return 200;
    };
    const app = await newApp(stopping, await person(stopping, 'owner'), { backchannel_logout_uri: receiver.url });
    await signOut(stopping, await person(stopping, 'who'), app);
    await eventually('the request', async () => (closing ? true : undefined));
    await closing;
    expect(receiver.open).toBe(0);
    await delay(100);
    expect(stopping.log.filter((line) => line.includes('an outbox failed'))).toEqual([]);
  });

  test('an error of the service itself is logged and does not count as an attempt', async () => {
    await withGatehouse({ env }, async (broken) => {
      const alice = await person(broken, 'alice');
      const app = await newApp(broken, alice, { backchannel_logout_uri: receiver.url });
      const authorization = await signIn(broken, alice);
      const code = await newCode(broken, { authorization }, app, { scope: 'openid' });
      expect((await exchange(broken, app, code)).status).toBe(200);
      // This service has not used the key of the other algorithm.
      await broken.sql("UPDATE openid_key SET private_key = '\\x00' WHERE alg = 'EdDSA'");
      await broken.sql("UPDATE application SET id_token_signed_response_alg = 'EdDSA' WHERE id = $1", [app.id]);
      expect((await broken.as(authorization).post('/v1/auth/logout')).status).toBe(204);
      await eventually(
        'the error',
        async () => broken.log.some((line) => line.includes('sending the rows of an outbox failed')) || undefined,
      );
      expect(await broken.sql('SELECT attempts, ended_at FROM backchannel_logout')).toEqual([
        { attempts: 0, ended_at: null },
      ]);
      expect(receiver.received).toEqual([]);
    });
  });
});
