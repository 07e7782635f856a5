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
  signIn,
  withGatehouse,
} from '../support/index.js';

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
      // Registration rejects such a URL. An operator could have allowed it before.
      await strict.sql('UPDATE application SET backchannel_logout_uri = $2 WHERE id = $1', [
        app.id,
        'http://app.example/logout',
      ]);
      await signOut(strict, alice, app);
      expect(await afterAttempts(app, 1, strict)).toMatchObject({ is_delivered: null, ended_at: null });
      expect(network.requests).toEqual([]);
      expect(network.resolvedNames).toEqual([]);
    });
    await network.close();
  });
});
