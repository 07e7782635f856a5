import { Controller, Get, HttpCode, Module, Post } from '@nestjs/common';
import { ApiError } from '../../src/core/errors.js';
import {
  AdminAcl,
  AllowSuspicious,
  CurrentIdentity,
  Public,
  RateLimit,
  UserOnly,
} from '../../src/policy/decorators.js';
import { defineFeature } from '../../src/policy/feature.js';
import type { Identity } from '../../src/policy/identity.js';
import { describeWithRedis, redisDatabase } from '../machine/redis.js';
import {
  administrator,
  adminKey,
  auditOf,
  Client,
  type Exchange,
  expectApiError,
  expectExposure,
  expectMatrix,
  type Gatehouse,
  GatewayClient,
  gatehouseWithSso,
  person,
  race,
  ScriptedProvider,
  setAcls,
  signInBySso,
  superuser,
  withGatehouse,
  withoutAudit,
} from '../support/index.js';

@Controller('v1/cakes')
class CakesController {
  @Get()
  @Public()
  @RateLimit('auth:handoff:info')
  eat() {
    // An error code of a team. The test kit knows it after the service has started.
    throw new ApiError('CAKES_GONE');
  }
}

@Controller('v1/pies')
class PiesController {
  private taken: string | undefined;

  @Post()
  @HttpCode(204)
  @UserOnly()
  @AllowSuspicious()
  @RateLimit('auth:logout')
  take(@CurrentIdentity() { account }: Identity) {
    if (this.taken) throw new ApiError('CAKES_GONE');
    this.taken = account.id;
  }

  @Get()
  @UserOnly()
  @RateLimit('auth:logout')
  look(): void {
    throw new ApiError('ACCESS_DENIED');
  }
}

@Controller('v1/admin/cakes')
class AdminCakesController {
  @Get()
  @AdminAcl('user:lookup')
  @RateLimit('admin:lookup')
  list() {
    return { cakes: [] };
  }
}

@Controller('v1/burnt')
class BurntController {
  @Get()
  @Public()
  bake(): void {
    throw new TypeError('the oven is off');
  }
}

@Module({ controllers: [BurntController] })
class BurntModule {}

@Module({ controllers: [CakesController, PiesController, AdminCakesController] })
class CakesModule {}

const cakes = defineFeature('cakes', {
  modules: [CakesModule],
  errors: { CAKES_GONE: [402, 'There is no cake.'] },
});

declare module '../../src/core/merged.js' {
  interface Features {
    cakesOfKit: typeof cakes;
  }
}

let provider: ScriptedProvider;
let service: Gatehouse;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
  service = await gatehouseWithSso(provider, { features: [cakes] });
});
afterAll(async () => {
  await service.close();
  await provider.stop();
});

describe('@gatehouse-auth/server/testing: the test kit for extensions', () => {
  test('an error code of the extension is checked against the present registry', async () => {
    const response = await service.anonymous.get('/v1/cakes');
    expectApiError(response, 'CAKES_GONE');
    expect(response.status).toBe(402);
    expect(() => expectApiError({ ...response, status: 400 }, 'CAKES_GONE')).toThrow('402');
  });

  test('a failed test shows the log of its request: the cause of a 500, and where it was thrown', async () => {
    await withGatehouse({ modules: [BurntModule] }, async ({ anonymous }) => {
      const unmet = await anonymous
        .get('/v1/burnt')
        .expect(200)
        .catch((error) => (error as Error).message);
      expect(unmet).toMatch(/was answered 500.*TypeError: the oven is off.*bake \S*kit\.e2e-spec\.ts/s);
      const response = await anonymous.get('/v1/burnt');
      expect(() => expectApiError(response, 'CONFLICT')).toThrow('TypeError: the oven is off');
    });
  });

  test('a 500 that no assertion of the request expects is written to the output with its cause', async () => {
    await withGatehouse({ modules: [BurntModule] }, async ({ anonymous }) => {
      const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
      try {
        await anonymous.get('/v1/burnt?unexpected').expect(500);
        expect(written).not.toHaveBeenCalled();
        for (let again = 0; again < 2; again++) expect((await anonymous.get('/v1/burnt?unexpected')).status).toBe(500);
        expect(written).toHaveBeenCalledTimes(1);
        expect(written.mock.calls.join()).toMatch(
          /^GET \/v1\/burnt\?unexpected was answered 500.*TypeError: the oven is off/s,
        );
      } finally {
        written.mockRestore();
      }
    });
  });

  test('an unregistered code is an error of the test, for any response', async () => {
    const response = await service.anonymous.get('/v1/cakes');
    const forged = { ...response, status: 400, body: { code: 'CAKES_LATE', message: 'x' } };
    expect(() => expectApiError(forged, 'CAKES_LATE')).toThrow('CAKES_LATE is no error code');
  });

  describe('expectations before the response is awaited, as with supertest', () => {
    const ask = () => service.anonymous.get('/v1/cakes?kind=apple');
    const gone = { code: 'CAKES_GONE', message: 'There is no cake.' };

    test('a status, one of several, headers, the body, assertions of a function; all of them in a row', async () => {
      const seen: unknown[] = [];
      const response = await ask()
        .expect(402)
        .expect([402, 404])
        .expect('Content-Type', /json/)
        .expect('content-length', Number((await ask()).headers.get('content-length')))
        .expect('cache-control', 'no-store')
        .expect(402, gone)
        .expect(gone)
        .expect(/no cake/)
        .expect(JSON.stringify(gone))
        .expect(({ status, body, text, headers }) => seen.push(status, body, text, headers['cache-control']));
      expectApiError(response, 'CAKES_GONE');
      expect(seen).toEqual([402, gone, JSON.stringify(gone), 'no-store']);
    });

    test.each<[string, (exchange: Exchange) => Exchange, RegExp]>([
      ['status', (exchange) => exchange.expect(200), /expected 200 "OK", got 402/],
      ['status of several', (exchange) => exchange.expect([200, 204]), /expected one of "200, 204", got 402/],
      ['status with a body', (exchange) => exchange.expect(402, {}), /expected {} response body, got/],
      ['header', (exchange) => exchange.expect('content-type', 'text/html'), /expected "content-type" of "text\/html"/],
      ['pattern of a header', (exchange) => exchange.expect('content-type', /html/), /matching \/html\//],
      ['header that is not there', (exchange) => exchange.expect('etag', /./), /expected "etag" header field/],
      ['body', (exchange) => exchange.expect({ ...gone, code: 'X' }), /response body, got/],
      ['text', (exchange) => exchange.expect('{}'), /expected '{}' response body, got/],
      ['pattern of a text', (exchange) => exchange.expect(/cookie/), /to match \/cookie\//],
      ['function that throws', (exchange) => exchange.expect(() => expect(1).toBe(2)), /Object\.is equality/],
      ['function that returns an error', (exchange) => exchange.expect(() => new Error('burnt')), /burnt/],
      ['second of two', (exchange) => exchange.expect(402).expect(404), /expected 404 "Not Found", got 402/],
    ])('if not met, the message shows request and response: %s', async (_kind, demand, reason) => {
      const failure = await demand(ask()).then(
        () => new Error('it was met'),
        (error) => error as Error,
      );
      expect(failure.message).toMatch(`GET /v1/cakes?kind=apple was answered 402 ${JSON.stringify(gone)}\n`);
      expect(failure.message).toMatch(reason);
      expect(failure.stack).toContain(failure.message);
      expect(failure.stack).toContain('kit.e2e-spec.ts');
    });

    test('a response without a body is {} in expectations and undefined in the result', async () => {
      const alice = await person(service, 'alice');
      const { body, text } = await service.as(alice).post('/v1/auth/logout').expect(204).expect(204, {});
      expect([body, text]).toEqual([undefined, '']);
    });

    test('a request is sent when it is created, once, even if awaited several times', async () => {
      const alice = await person(service, 'alice');
      const logout = service.as(alice).post('/v1/auth/logout').expect(204);
      expect((await Promise.all([logout, logout])).map(({ status }) => status)).toEqual([204, 204]);
      expectApiError(await service.as(alice).get('/v1/users/@me'), 'UNAUTHORIZED');
      const sent = service.as(await person(service, 'bob')).patch('/v1/users/@me', { bio: 'sent' });
      await expect(sent.expect(404)).rejects.toThrow('PATCH /v1/users/@me was answered 200 {');
    });

    test('a connection error fails every expectation', async () => {
      await expect(new Client('http://127.0.0.1:1', undefined, []).get('/').expect(200)).rejects.toThrow(
        'ECONNREFUSED',
      );
    });
  });

  test('administrators, with and without keys', async () => {
    const clerk = await administrator(service, 'user:lookup', 'admin_api_key:manage');
    expect((await service.as(clerk).get('/v1/admin/cakes')).status).toBe(200);
    const key = await adminKey(service, clerk, 'user:lookup');
    expect((await service.as(key).get('/v1/admin/cakes')).status).toBe(200);
    expect((await service.as(await superuser(service)).get('/v1/admin/cakes')).status).toBe(200);
    await setAcls(service, clerk, ['admin:authenticate']);
    expectApiError(await withoutAudit(service, () => service.as(key).get('/v1/admin/cakes')), 'MISSING_ACL');
    expect(await auditOf(service, 'create_api_key')).toHaveLength(1);
  });

  test('a client of the gateway', async () => {
    const alice = await person(service, 'alice');
    const { client, ready } = await GatewayClient.identify(service, alice.authorization);
    expect(ready.user.id).toBe(alice.id);
    await service.as(alice).post('/v1/auth/logout');
    expect((await client.closed())[0]).toBe(4004);
  });

  test('a provider of single sign-on', async () => {
    const { status, body } = await signInBySso(service, provider, { email: 'grace@example.com' });
    expect([status, body.user.id]).toEqual([200, body.user_id]);
  });

  test('a race: a single-use operation succeeds once, and responses are counted by status and code', async () => {
    const alice = await person(service, 'alice');
    const { responses, statuses, codes, of } = await race(32, () => service.as(alice).post('/v1/pies'));
    expect([statuses, codes]).toEqual([{ 204: 1, 402: 31 }, { CAKES_GONE: 31 }]);
    expect(of(204)).toEqual(responses.filter(({ status }) => status === 204));
  });

  test('a race starts all calls before it waits for any, and ends when all have ended', async () => {
    let begun = 0;
    let ended = 0;
    const nobody = { status: 0, headers: new Headers(), body: undefined, text: '' };
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const run = race(32, async (index) => {
      if (++begun === 32) open();
      await gate;
      if (index === 5) throw new Error('the fifth fell');
      ended++;
      return nobody;
    });
    await expect(run).rejects.toThrow('the fifth fell');
    expect([begun, ended]).toEqual([32, 31]);
  });

  describe('the policies of an extension, one line each', () => {
    const LEDGER = [
      "GET /v1/cakes @Public() @RateLimit('auth:handoff:info')",
      "POST /v1/pies @UserOnly() @AllowSuspicious() @RateLimit('auth:logout')",
    ] as const;
    const HANDLER = 'GET /v1/pies by session: ACCESS_DENIED';

    test('the matrix calls every route of its modules with every credential', async () => {
      await expectMatrix(service, [HANDLER]);
      await expect(expectMatrix(service)).rejects.toThrow('GET /v1/pies with session: 403 ACCESS_DENIED, not admitted');
    });

    test('the ledger lists exactly the callers allowed beyond a policy', async () => {
      await expectExposure(service, ...LEDGER);
      await expect(expectExposure(service, LEDGER[0])).rejects.toThrow('POST /v1/pies');
      await expect(expectExposure(service, ...LEDGER, 'GET /v1/tarts @Public()')).rejects.toThrow('GET /v1/tarts');
    });

    test('without modules of an extension there is nothing to check, and this is reported', () =>
      withGatehouse({}, async (bare) => {
        await expect(expectMatrix(bare)).rejects.toThrow('The extension adds no route');
        await expect(expectExposure(bare)).rejects.toThrow('The extension adds no route');
      }));
  });

  describe('outages', () => {
    test('a disconnected database is away for every request, and afterwards everything is as before', () =>
      withGatehouse({ cuttable: true }, async (cut) => {
        const alice = await person(cut, 'alice');
        const endOutage = await cut.cutDatabase();
        const { statuses, codes } = await race(32, () => cut.as(alice).get('/v1/users/@me'));
        expect([statuses, codes]).toEqual([{ 503: 32 }, { SERVICE_UNAVAILABLE: 32 }]);
        await endOutage();
        expect((await cut.as(alice).get('/v1/users/@me').expect(200)).body.id).toBe(alice.id);
        expect((await race(32, () => cut.as(alice).get('/v1/users/@me'))).statuses).toEqual({ 200: 32 });
      }));

    test('an outage that is not available names the missing option', async () => {
      await expect(service.cutDatabase()).rejects.toThrow('gatehouse({ cuttable: true, ... })');
      await expect(service.cutRedis()).rejects.toThrow('gatehouse({ cuttable: true, ... })');
      await withGatehouse({ cuttable: true }, async (cut) => {
        await expect(cut.cutRedis()).rejects.toThrow(
          "cutRedis() needs a Redis server: gatehouse({ env: { REDIS_URL: '",
        );
      });
    });

    describeWithRedis('with a Redis', () => {
      test('while the store is disconnected, limits apply per process, and later it is used again', () =>
        withGatehouse({ cuttable: true, env: { REDIS_URL: redisDatabase(6), RATE_LIMITS: 'on' } }, async (limited) => {
          const alice = await person(limited, 'alice');
          const me = () => limited.as(alice).get('/v1/users/@me').expect(200);
          await me();
          const endOutage = await limited.cutRedis();
          await me();
          await endOutage();
          await me();
        }));
    });
  });
});
