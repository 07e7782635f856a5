import {
  BadGatewayException,
  type CallHandler,
  Controller,
  type ExecutionContext,
  Get,
  Module,
  type NestInterceptor,
  Param,
  type PipeTransform,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ApiError, unavailable } from '../../src/core/errors.js';
import { Log } from '../../src/core/log.js';
import { Metrics } from '../../src/core/metrics.js';
import { ClientAddresses } from '../../src/http/client-addresses.js';
import { CrossOrigin } from '../../src/http/cross-origin.js';
import { Text } from '../../src/http/input.js';
import { LiveRequests } from '../../src/http/live-requests.js';
import { RequestHooks } from '../../src/http/request-hooks.js';
import { Database } from '../../src/platform/database/database.js';
import { ReplicaBus } from '../../src/platform/replicas/replica-bus.js';
import type { Call } from '../../src/policy/call.js';
import { CurrentCall, Public } from '../../src/policy/decorators.js';
import { eventually, expectApiError, type Gatehouse, gatehouse, RawConnection, sendRaw } from '../support/index.js';

class Failing extends Error {
  override get message(): string {
    throw new Error('no message');
  }
}

const circle: Record<string, unknown> = {};
circle.itself = circle;

/** Functions that create the values that handlers throw, by name. */
const THROWN: Readonly<Record<string, () => unknown>> = {
  header: () => new ApiError('NOT_FOUND').withHeaders({ 'X-Reason': 'café 中' }),
  'header-name': () => new ApiError('NOT_FOUND').withHeaders({ 'X Reason': 'words' }),
  bigint: () => new ApiError('RATE_LIMITED', { global: false, retry_after: 1n as unknown as number }),
  circle: () => new ApiError('RATE_LIMITED', { global: circle as unknown as boolean, retry_after: 1 }),
  null: () => null,
  undefined: () => undefined,
  text: () => 'words',
  nothing: () => Object.create(null),
  message: () => new Failing(),
  proxy: () => {
    const fail = () => {
      throw new Error('a trap');
    };
    return new Proxy({}, { get: fail, getPrototypeOf: fail, has: fail, ownKeys: fail });
  },
};

class FailingInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, _next: CallHandler): never {
    throw THROWN.header?.();
  }
}

class FailingPipe implements PipeTransform {
  transform(): never {
    throw THROWN.header?.();
  }
}

class Named {
  @Text({ max: 20 }) name: string;
}

@Controller('v1/probe')
class ProbeController {
  @Get('fine')
  @Public()
  fine() {
    return {};
  }

  // A route without path parameters uses the fast path, which skips the framework.
  @Get('header')
  @Public()
  async header() {
    throw THROWN.header?.();
  }

  @Get('thrown/:name')
  @Public()
  thrown(@Param() { name }: Named) {
    throw THROWN[name]?.();
  }

  @Get('late/:name')
  @Public()
  async late(@Param() { name }: Named) {
    await null;
    throw THROWN[name]?.();
  }

  @Get('unwritable')
  @Public()
  unwritable() {
    return { circle };
  }

  @Get('unwritable/:name')
  @Public()
  unwritableToo() {
    return { value: 1n };
  }

  @Get('own-header')
  @Public()
  ownHeader(@CurrentCall() call: Call) {
    call.res.setHeader('X-Fine', 'yes');
    throw THROWN.header?.();
  }

  @Get('interceptor')
  @Public()
  @UseInterceptors(FailingInterceptor)
  interceptor() {}

  @Get('pipe/:name')
  @Public()
  @UsePipes(FailingPipe)
  pipe(@Param() { name }: Named) {
    return { name };
  }

  @Get('cause')
  @Public()
  cause() {
    throw unavailable(5).withCause(new Error('the disk is full', { cause: new Error('no inode is left') }));
  }

  @Get('framework')
  @Public()
  framework() {
    throw new BadGatewayException('words', { cause: new Error('the peer hung up') });
  }

  @Get('refused')
  @Public()
  refused() {
    throw Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:443'), { code: 'ECONNREFUSED', syscall: 'connect' });
  }

  @Get('deadlock')
  @Public()
  deadlock() {
    throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
  }
}

@Module({ controllers: [ProbeController] })
class ProbeModule {}

let service: Gatehouse;
beforeAll(async () => {
  service = await gatehouse({ modules: [ProbeModule], env: { RATE_LIMITS: 'off', ABUSE_BANS: 'off' } });
});
afterAll(() => service.close());

const ask = (path: string) => sendRaw(service, [`GET ${path} HTTP/1.1`, 'Origin: http://localhost:8080']);
const nothingIsLeft = async () => {
  const live = service.app.get(LiveRequests);
  while (live.size > 0) await new Promise((resolve) => setImmediate(resolve));
  expect((await ask('/v1/probe/fine')).status).toBe(200);
};

async function expectFault(path: string): Promise<void> {
  const response = await ask(path);
  expectApiError(response, 'INTERNAL_SERVER_ERROR', { request_id: response.headers.get('x-request-id') });
  expect(response.headers.get('x-fine')).toBeNull();
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  const lines = service.log.filter((line) => line.includes(`"request_id":"${response.headers.get('x-request-id')}"`));
  expect(lines.some((line) => JSON.parse(line).level === 50)).toBe(true);
  await nothingIsLeft();
}

describe('conventions.md 5: every thrown value gets a response', () => {
  test.each(Object.keys(THROWN))('%s, immediately and later', async (name) => {
    await expectFault(`/v1/probe/thrown/${name}`);
    await expectFault(`/v1/probe/late/${name}`);
  });

  test.each([...['header', 'own-header', 'unwritable', 'unwritable/a', 'interceptor', 'pipe/a']])('by %s', (path) =>
    expectFault(`/v1/probe/${path}`),
  );
});

type Hook = () => unknown;

/** Makes a method of the service throw while `work` runs. */
async function broken(target: object, name: string, work: () => Promise<void>): Promise<void> {
  let calls = 0;
  const fail: Hook = () => {
    calls++;
    throw new Error(`${name} failed`);
  };
  Object.defineProperty(target, name, { value: fail, configurable: true });
  try {
    await work();
    const live = service.app.get(LiveRequests);
    while (live.size > 0) await new Promise((resolve) => setImmediate(resolve));
  } finally {
    Reflect.deleteProperty(target, name);
  }
  expect([name, calls > 0]).toEqual([name, true]);
}

describe('conventions.md 5: the service continues if a part of it throws', () => {
  const before: [string, () => object, string][] = [
    ['the checks before routing', () => service.app.get(RequestHooks), 'onRequest'],
    ['the client address', () => service.app.get(ClientAddresses), 'addressOf'],
    ['cross-origin rules', () => service.app.get(CrossOrigin), 'apply'],
  ];
  test.each(before)('%s: 500', async (_what, part, name) => {
    await broken(part(), name, async () => {
      const response = await ask('/v1/probe/fine');
      expectApiError(response, 'INTERNAL_SERVER_ERROR', { request_id: response.headers.get('x-request-id') });
    });
    await nothingIsLeft();
  });

  const after: [string, () => object, string][] = [
    ['the checks after the response', () => service.app.get(RequestHooks), 'onResponse'],
    ['the metrics', () => service.app.get(Metrics), 'observe'],
  ];
  test.each(after)('%s: the response has been sent', async (_what, part, name) => {
    await broken(part(), name, async () => {
      expect((await ask('/v1/probe/fine')).status).toBe(200);
      expectApiError(await ask('/v1/nope'), 'NOT_FOUND');
    });
    expect(service.log.some((line) => line.includes(`${name} failed`))).toBe(true);
    await nothingIsLeft();
  });

  test('the set of live requests: the connection is closed', async () => {
    await broken(service.app.get(LiveRequests), 'open', async () => {
      const connection = await RawConnection.open(service);
      connection.send('GET /v1/probe/fine HTTP/1.1\r\nHost: x\r\n\r\n');
      await connection.closed;
    });
    await nothingIsLeft();
  });

  test('handlers of notifications: the operation and the other handlers continue', async () => {
    const bus = service.app.get(ReplicaBus);
    const received: unknown[] = [];
    const fail = () => {
      throw new Error('a handler failed');
    };
    bus.follow('probe', fail);
    bus.on('probe', fail);
    bus.on('probe', async () => fail());
    bus.on('probe', ({ n }) => void received.push(n));
    await service.app.get(Database).transaction((tx) => bus.announce(tx, { topic: 'probe', data: { n: 1 } }));
    expect(received).toContain(1);
    const failures = () => service.log.filter((line) => line.includes('a handler failed')).length;
    await eventually('the log of all three failures', async () => (failures() >= 3 ? true : undefined));
    await nothingIsLeft();
  });

  test('a thrown value that cannot be logged', () => {
    const log = service.app.get(Log);
    const from = service.log.length;
    for (const thrown of Object.values(THROWN)) log.error('words', { error: thrown() });
    log.error(new Failing());
    expect(service.log.slice(from)).toHaveLength(Object.keys(THROWN).length + 1);
  });
});

describe('conventions.md 5: the log has the cause of every 5xx', () => {
  const linesOf = (id: string | null) =>
    service.log.filter((line) => line.includes(`"request_id":"${id}"`) && line.includes('request failed'));

  test.each([
    ['cause', 'SERVICE_UNAVAILABLE', ['the disk is full', 'no inode is left']],
    ['framework', 'BAD_GATEWAY', ['the peer hung up']],
    ['deadlock', 'SERVICE_UNAVAILABLE', ['deadlock detected', '40P01']],
    ['refused', 'INTERNAL_SERVER_ERROR', ['ECONNREFUSED 192.0.2.1:443']],
  ] as const)('%s: %s', async (path, code, words) => {
    const response = await ask(`/v1/probe/${path}`);
    expectApiError(response, code, { request_id: response.headers.get('x-request-id') });
    const lines = linesOf(response.headers.get('x-request-id'));
    expect(lines).toHaveLength(1);
    for (const word of words) expect(lines[0]).toContain(word);
    for (const word of words) expect(response.text).not.toContain(word);
  });
});
