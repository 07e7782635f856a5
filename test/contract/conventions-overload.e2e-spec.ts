import { setImmediate } from 'node:timers/promises';
import { Controller, Get, HttpCode, Module, Post } from '@nestjs/common';
import { IdentityResolver } from '../../src/accounts/identity-resolver.js';
import { Clock } from '../../src/core/clock.js';
import type { Config } from '../../src/core/config/config.js';
import { Log } from '../../src/core/log.js';
import { Metrics } from '../../src/core/metrics.js';
import { LiveRequests } from '../../src/http/live-requests.js';
import { Load } from '../../src/http/load.js';
import { LoadGuard } from '../../src/pipeline/arrival-guards.js';
import { EventLoop } from '../../src/platform/process/event-loop.js';
import { ReplicaDrain } from '../../src/platform/replicas/replica-drain.js';
import type { Call } from '../../src/policy/call.js';
import { BlockedBySso, CurrentCall, Public, RateLimit } from '../../src/policy/decorators.js';
import { Routes } from '../../src/policy/routes.js';
import {
  ban,
  createCredentialSet,
  expectApiError,
  type Gatehouse,
  gatehouse,
  liftBan,
  RawConnection,
  type RawResponse,
  sendRaw,
  type TestResponse,
} from '../support/index.js';

let release: () => void = () => {};
let held: Promise<void> = Promise.resolve();
let arrived: () => void = () => {};

@Controller('v1/probe')
class ProbeController {
  @Get('held')
  @Public()
  async hold() {
    arrived();
    await held;
    return {};
  }

  @Get('address')
  @Public()
  @RateLimit('instance:info')
  address(@CurrentCall() { address }: Call) {
    return { address };
  }

  @Post('sso')
  @HttpCode(204)
  @Public()
  @BlockedBySso()
  sso() {}
}

@Module({ controllers: [ProbeController] })
class ProbeModule {}

const CLIENT = '203.0.113.7';
const OPERATIONAL = ['/health/live', '/health/ready', '/metrics'];

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({
    modules: [ProbeModule],
    env: {
      MAX_IN_FLIGHT: '2',
      TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMITS: 'on',
      RATE_LIMIT_OVERRIDES: '{"instance:info":"1000000/1"}',
      APPEAL_EMAIL: 'appeals@example.com',
      METRICS_ALLOW: `${CLIENT}, 127.0.0.1`,
    },
  });
});
afterAll(() => service.close());

const ask = (target: string, ...lines: string[]): Promise<RawResponse> =>
  sendRaw(service, [`GET ${target} HTTP/1.1`, `X-Forwarded-For: ${CLIENT}`, ...lines]);

/** Runs `work` while two requests, the maximum that the process accepts, are blocked in their handler. */
async function whileFull(work: () => Promise<void>): Promise<void> {
  // Ends the previous overload episode: it is over after 2 s without overload.
  service.clock.advance({ seconds: 3 });
  const connections = [await RawConnection.open(service), await RawConnection.open(service)];
  held = new Promise((resolve) => {
    release = resolve;
  });
  for (const connection of connections) {
    const isInside = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    connection.send(`GET /v1/probe/held HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${CLIENT}\r\n\r\n`);
    await isInside;
  }
  try {
    await work();
  } finally {
    release();
    for (const connection of connections) {
      expect((await connection.readResponse()).status).toBe(200);
      connection.close();
    }
  }
}

describe('conventions.md 12: load shedding', () => {
  test('more than MAX_IN_FLIGHT requests: 503 with Retry-After 1, and the service works normally afterwards', async () => {
    await whileFull(async () => {
      const response = await ask('/v1/probe/address', 'Origin: http://localhost:8080');
      expectApiError(response, 'SERVICE_UNAVAILABLE', { request_id: response.headers.get('x-request-id') });
      expect(response.headers.get('retry-after')).toBe('1');
      expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:8080');
      expectApiError(await ask('/v1/nope'), 'SERVICE_UNAVAILABLE');
    });
    expect((await ask('/v1/probe/address')).status).toBe(200);
  });

  test('before any read or lookup', async () => {
    const { session } = await createCredentialSet(service);
    const { counters } = service.app.get(IdentityResolver);
    const before = counters.lookups;
    await whileFull(async () => {
      expectApiError(await ask('/v1/users/@me', `Authorization: ${session}`), 'SERVICE_UNAVAILABLE');
      const expecting = ['Content-Type: application/json', 'Content-Length: 2', 'Expect: 100-continue'];
      const lines = ['POST /v1/auth/login HTTP/1.1', `X-Forwarded-For: ${CLIENT}`, ...expecting];
      expectApiError(await sendRaw(service, lines), 'SERVICE_UNAVAILABLE');
    });
    expect(counters.lookups).toBe(before);
  });

  test('health, metrics and preflights are never shed', async () => {
    await whileFull(async () => {
      for (const path of OPERATIONAL) expect([path, (await ask(path)).status]).toEqual([path, 200]);
      const lines = ['Origin: http://localhost:8080', 'Access-Control-Request-Method: GET'];
      expect((await sendRaw(service, ['OPTIONS /v1/users/@me HTTP/1.1', ...lines])).status).toBe(204);
    });
  });

  test('readiness reports shedding after 10 s, until nothing has been shed for some time', async () => {
    const ready = async () => (await ask('/health/ready')).status;
    await whileFull(async () => {
      expect(await ready()).toBe(200);
      service.clock.advance({ seconds: 11 });
      const response = await ask('/health/ready');
      expectApiError(response, 'SERVICE_UNAVAILABLE');
      expect(response.headers.get('retry-after')).toBe('1');
      expect((await ask('/health/live')).status).toBe(200);
    });
    // The overload episode does not end immediately. It ends in the next call, which first advances the clock by 3 s.
    await whileFull(async () => {});
    expect(await ready()).toBe(200);
  });

  test('a late event loop sheds requests until it has caught up', async () => {
    const config = { maxInFlight: 10, maxLoopDelayMs: 100 } as Config;
    const loop = new EventLoop(config);
    const live = new LiveRequests(service.app.get(Log), service.app.get(Metrics));
    const { app } = service;
    const load = new Load(config, loop, new Clock(), live, app.get(Metrics), app.get(ReplicaDrain));
    const guard = new LoadGuard(load);
    const isShedding = () => {
      try {
        guard.arrive();
        return false;
      } catch {
        return true;
      }
    };
    const until = async (wanted: boolean) => {
      while (isShedding() !== wanted) await setImmediate();
    };
    for (const end = performance.now() + 60; performance.now() < end; ) await setImmediate();
    for (const end = performance.now() + 300; performance.now() < end; );
    await until(true);
    await until(false);
    loop.onApplicationShutdown();
    live.onApplicationShutdown();
  });
});

describe('conventions.md 9.2: a banned IP address', () => {
  const banned = async (value: string, seconds: number | null, work: () => Promise<void>) => {
    await ban(service, value, seconds);
    try {
      await work();
    } finally {
      await liftBan(service, value);
    }
  };

  test('is rejected permanently, with a contact for appeals', async () => {
    await banned(CLIENT, null, async () => {
      expect((await ask('/v1/probe/address')).body).toEqual({
        code: 'GLOBAL_IP_BANNED',
        message: expect.any(String),
        ip_address: CLIENT,
        ban_kind: 'permanent',
        expires_at: null,
        appeal_email: 'appeals@example.com',
        appeals_supported: true,
      });
    });
    expect((await ask('/v1/probe/address')).body).toEqual({ address: CLIENT });
  });

  test('is rejected until the end of a temporary ban', async () => {
    await banned(CLIENT, 60, async () => {
      const response = await ask('/v1/probe/address');
      expectApiError(response, 'GLOBAL_IP_TEMPORARILY_BANNED', {
        ip_address: CLIENT,
        ban_kind: 'temporary_24h',
        expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        appeals_supported: false,
      });
      expect(Math.abs(Date.parse(response.body.expires_at) - service.clock.now() - 60_000)).toBeLessThan(30_000);
      service.clock.advance({ seconds: 61 });
      expect((await ask('/v1/probe/address')).status).toBe(200);
    });
  });

  test('is rejected on every route except health and metrics, with any credential, before any lookup', async () => {
    const { session } = await createCredentialSet(service, { acls: ['*'] });
    const { counters } = service.app.get(IdentityResolver);
    await banned(CLIENT, null, async () => {
      const before = counters.lookups;
      for (const { method, path } of service.app.get(Routes).all) {
        const target = path.replace(/:\w+/g, '1').replace(/\*\w+/g, 'a/b');
        const lines = [`${method} ${target} HTTP/1.1`, `X-Forwarded-For: ${CLIENT}`, `Authorization: ${session}`];
        const response = await sendRaw(service, [...lines, 'Content-Length: 0']);
        const expected = OPERATIONAL.includes(path) ? 200 : 403;
        expect([method, path, response.status]).toEqual([method, path, expected]);
        if (expected === 403) expectApiError(response, 'GLOBAL_IP_BANNED');
      }
      expectApiError(await ask('/v1/nope'), 'GLOBAL_IP_BANNED');
      expect(counters.lookups).toBe(before);
    });
  });

  test.each([
    ['203.0.113.0/24', CLIENT, true],
    ['203.0.113.0/24', '203.0.114.1', false],
    ['2001:db8::1', '2001:db8::ffff', true],
    ['2001:db8::1', '2001:db8:0:1::1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['203.0.113.7', '::ffff:203.0.113.7', true],
  ])('a ban of %s and %s', async (value, address, isBanned) => {
    await banned(value, null, async () => {
      const response = await sendRaw(service, ['GET /v1/probe/address HTTP/1.1', `X-Forwarded-For: ${address}`]);
      expect(response.status).toBe(isBanned ? 403 : 200);
    });
  });

  test('shedding comes before the ban, and the ban before single sign-on and limits', async () => {
    await banned(CLIENT, null, async () => {
      await whileBannedAndFull();
      expectApiError(await sendRaw(service, sso()), 'GLOBAL_IP_BANNED');
    });
  });

  const sso = () => ['POST /v1/probe/sso HTTP/1.1', `X-Forwarded-For: ${CLIENT}`, 'Content-Length: 0'];
  async function whileBannedAndFull(): Promise<void> {
    await liftBan(service, CLIENT);
    await whileFull(async () => {
      await ban(service, CLIENT, null);
      expectApiError(await sendRaw(service, sso()), 'SERVICE_UNAVAILABLE');
    });
  }
});

describe('conventions.md 1: client address', () => {
  const seen = async (...lines: string[]): Promise<TestResponse> =>
    sendRaw(service, ['GET /v1/probe/address HTTP/1.1', ...lines.map((line) => line)]);

  test('one header counts, and its lines are one list', async () => {
    expect((await seen('X-Forwarded-For: 198.51.100.9')).body.address).toBe('198.51.100.9');
    expect((await seen('X-Forwarded-For: 198.51.100.9', 'X-Forwarded-For: 198.51.100.8')).body.address).toBe(
      '198.51.100.8',
    );
    const others = [
      'Forwarded: for=1.2.3.4',
      'X-Real-IP: 1.2.3.4',
      'CF-Connecting-IP: 1.2.3.4',
      'True-Client-IP: 1.2.3.4',
    ];
    const more = ['X-Client-IP: 1.2.3.4', 'X-Cluster-Client-IP: 1.2.3.4', 'X-Forwarded: 1.2.3.4', 'Via: 1.2.3.4'];
    expect((await seen('X-Forwarded-For: 198.51.100.9', ...others, ...more)).body.address).toBe('198.51.100.9');
    expectApiError(await seen(...others, ...more), 'FORBIDDEN');
  });

  test('a request without a valid client address is rejected before any bucket, except on operational routes', async () => {
    for (const lines of [[], ['X-Forwarded-For: unknown'], ['X-Forwarded-For: 1.2.3.4:65536'], ['X-Forwarded-For:']]) {
      const response = await seen(...lines);
      expectApiError(response, 'FORBIDDEN');
      expect(response.headers.has('x-ratelimit-limit')).toBe(false);
      expect((await sendRaw(service, ['GET /health/live HTTP/1.1', ...lines])).status).toBe(200);
    }
  });

  test('998 padding lines do not hide the header', async () => {
    const filling = Array.from({ length: 998 }, () => 'X: y');
    expect((await seen(...filling, 'X-Forwarded-For: 198.51.100.9')).status).toBe(400);
  });

  test('metrics are available to the IP addresses of METRICS_ALLOW', async () => {
    expect((await ask('/metrics')).status).toBe(200);
    expectApiError(await sendRaw(service, ['GET /metrics HTTP/1.1', 'X-Forwarded-For: 198.51.100.9']), 'NOT_FOUND');
  });

  test('operational routes have no limits', async () => {
    const connection = await RawConnection.open(service);
    connection.send('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
    for (let i = 0; i < 200; i++) expect((await connection.readResponse()).body).toEqual({ status: 'ok' });
    connection.close();
  });
});
