import { Readable } from 'node:stream';
import {
  type ArgumentsHost,
  type CallHandler,
  Catch,
  Controller,
  createParamDecorator,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestInterceptor,
  type NestModule,
  type PipeTransform,
  Post,
  Redirect,
  Scope,
  StreamableFile,
  type Type,
  UseFilters,
  UseInterceptors,
  UsePipes,
  VERSION_NEUTRAL,
  Version,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, HttpAdapterHost } from '@nestjs/core';
import { map, of } from 'rxjs';
import {
  ApiError,
  Authenticated,
  CredentialFree,
  CurrentCall,
  CurrentIdentity,
  type Identity,
  Public,
} from '../../src/index.js';
import { FastPath } from '../../src/pipeline/fast-path.js';
import { type Call, callOf } from '../../src/policy/call.js';
import { Routes } from '../../src/policy/routes.js';

import { type Client, expectApiError, type Gatehouse, gatehouse, person, withGatehouse } from '../support/index.js';

@Injectable()
class Framing implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(map((framed: unknown) => ({ framed })));
  }
}

@Injectable()
class Doubling implements PipeTransform {
  transform(value: unknown) {
    return typeof value === 'string' ? value + value : value;
  }
}

@Catch(TypeError)
class Teapot implements ExceptionFilter {
  catch(_error: TypeError, host: ArgumentsHost): void {
    const call = callOf(host.switchToHttp().getRequest());
    host.switchToHttp().getResponse().hijack?.();
    call.res.writeHead(418).end();
  }
}

@Catch()
class Everything implements ExceptionFilter {
  catch(_error: unknown, host: ArgumentsHost): void {
    const call = callOf(host.switchToHttp().getRequest());
    host.switchToHttp().getResponse().hijack?.();
    call.res.writeHead(418).end();
  }
}

const Method = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { method } = context.switchToHttp().getRequest<{ method: string }>();
  return method;
});

@Injectable({ scope: Scope.REQUEST })
class Visits {
  count = 0;
}

@Controller('v1/own/visits')
class VisitsController {
  constructor(private readonly visits: Visits) {}

  @Get()
  @CredentialFree()
  show() {
    return { count: ++this.visits.count };
  }
}

@Controller('v1/own')
class OwnController {
  @Get('plain')
  @Authenticated()
  @Header('Cache-Control', 'private')
  plain(@CurrentIdentity() me: Identity) {
    return { id: me.account.id, name: 'Zoë "quoted" </script> \u2028', absent: undefined, nothing: null };
  }

  @Get('list')
  @CredentialFree()
  list() {
    return [1, 'two', null];
  }

  @Post('nothing')
  @HttpCode(204)
  @CredentialFree()
  nothing() {}

  @Get('empty')
  @CredentialFree()
  empty() {
    return null;
  }

  @Get('written')
  @CredentialFree()
  written(@CurrentCall() { res }: Call) {
    res.setHeader('X-Own', 'yes');
    res.statusCode = 202;
    return { written: true };
  }

  @Get('refused')
  @Public()
  refused() {
    throw new ApiError('CONFLICT');
  }

  @Get('broken')
  @Public()
  async broken() {
    throw new Error('it broke');
  }

  @Get('text')
  @CredentialFree()
  text() {
    return 'words';
  }

  @Get('number')
  @CredentialFree()
  number() {
    return 7;
  }

  @Get('file')
  @CredentialFree()
  file() {
    return new StreamableFile(Readable.from(['a', 'b']), { type: 'text/csv' });
  }

  @Get('observed')
  @HttpCode(203)
  @CredentialFree()
  observed() {
    return of({ n: 1 }, { n: 2 });
  }

  @Get('framed')
  @CredentialFree()
  @UseInterceptors(Framing)
  framed() {
    return { n: 1 };
  }

  @Get('piped')
  @CredentialFree()
  @UsePipes(Doubling)
  piped(@Method() method: string) {
    return { method };
  }

  @Get('method')
  @CredentialFree()
  method(@Method() method: string) {
    return { method };
  }

  @Get('caught')
  @CredentialFree()
  @UseFilters(Teapot)
  caught() {
    throw new TypeError('caught');
  }

  @Get('mistaken')
  @CredentialFree()
  mistaken() {
    throw new TypeError('mistaken');
  }

  @Get('moved')
  @CredentialFree()
  @Redirect('/v1/own/plain', 307)
  moved() {}
}

@Controller({ path: 'own/editions', version: '1' })
@Authenticated()
class EditionsController {
  @Get()
  first() {
    return { edition: 1 };
  }

  @Get()
  @Version('2')
  second() {
    return { edition: 2 };
  }

  @Get('latest')
  @Version(['2', '3'])
  latest() {
    return { edition: 3 };
  }

  @Get('any')
  @CredentialFree()
  @Version(VERSION_NEUTRAL)
  any() {
    return { edition: 0 };
  }
}

const isDirect = (service: Gatehouse, method: string, path: string): boolean =>
  service.app.get(FastPath).find(method, path) !== undefined;

@Module({ controllers: [OwnController, VisitsController, EditionsController], providers: [Visits] })
class OwnModule {}

describe('routes of an extension that the framework may not call', () => {
  let service: Gatehouse;
  let anyone: Client;
  beforeAll(async () => {
    service = await gatehouse({ modules: [OwnModule] });
    anyone = service.anonymous;
  });
  afterAll(() => service.close());

  it.each([
    ['GET', '/v1/own/plain', true],
    ['GET', '/v1/own/text', true],
    ['POST', '/v1/own/nothing', true],
    ['GET', '/v1/users/@me', true],
    ['GET', '/.well-known/service', true],
    ['HEAD', '/v1/users/@me', true],
    ['GET', '/v1/users/@ME', false],
    ['GET', '/v1/own/framed', false],
    ['GET', '/v1/own/piped', false],
    ['GET', '/v1/own/method', false],
    ['GET', '/v1/own/caught', false],
    ['GET', '/v1/own/moved', false],
    ['GET', '/v1/own/visits', false],
    ['GET', '/v2/own/editions', true],
    ['GET', '/v1/oauth2/applications/:application_id/public', false],
    ['GET', '/metrics', false],
  ])('%s %s: %s', (method, path, expected) => {
    expect(isDirect(service, method, path)).toBe(expected);
  });

  it('of versioned controllers have the version in their path, in the list of routes and in the document', async () => {
    const alice = service.as(await person(service));
    await alice.get('/v1/own/editions').expect(200, { edition: 1 });
    await alice.get('/v2/own/editions').expect(200, { edition: 2 });
    for (const version of [2, 3]) await alice.get(`/v${version}/own/editions/latest`).expect(200, { edition: 3 });
    await anyone.get('/own/editions/any').expect(200, { edition: 0 });
    const paths = ['/v1/own/editions', '/v2/own/editions', '/v2/own/editions/latest', '/v3/own/editions/latest'];
    for (const path of paths) expectApiError(await anyone.get(path), 'UNAUTHORIZED');
    for (const path of ['/own/editions', '/v1/own/editions/latest', '/v1/own/editions/any', '/v3/own/editions'])
      expectApiError(await alice.get(path), 'NOT_FOUND');
    const lines = service.app.get(Routes).describe().split('\n');
    expect(lines.filter((line) => line.includes('/editions'))).toEqual([
      'GET /own/editions/any @CredentialFree()',
      ...paths.map((path) => `GET ${path} @Authenticated()`),
    ]);
    const { body } = await anyone.get('/openapi.json').expect(200);
    expect(Object.keys(body.paths)).toEqual(expect.arrayContaining([...paths, '/own/editions/any']));
  });

  it('answer JSON byte for byte as it is, with every header of an answer', async () => {
    const alice = await person(service);
    const response = await service.as(alice).get('/v1/own/plain?x=1').expect(200);
    const id = (response.body as { id: string }).id;
    expect(response.text).toBe(JSON.stringify({ id, name: 'Zoë "quoted" </script> \u2028', nothing: null }));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(response.text)),
      'cache-control': 'private',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      vary: 'Origin',
    });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expectApiError(await anyone.get('/v1/own/plain'), 'UNAUTHORIZED');
  });

  it.each([
    ['list', 200, '[1,"two",null]'],
    ['empty', 200, ''],
    ['written', 202, '{"written":true}'],
    ['text', 200, 'words'],
    ['number', 200, '7'],
    ['observed', 203, '{"n":2}'],
    ['framed', 200, '{"framed":{"n":1}}'],
    ['piped', 200, '{"method":"GETGET"}'],
    ['method', 200, '{"method":"GET"}'],
    ['visits', 200, '{"count":1}'],
    ['caught', 418, ''],
  ])('%s is answered as Nest has it', async (name, status, text) => {
    for (let turn = 0; turn < 2; turn++) {
      const response = await anyone.get(`/v1/own/${name}`).expect(status);
      expect(response.text).toBe(text);
    }
  });

  it('a file keeps its type, and what says nothing has no body', async () => {
    const file = await anyone
      .get('/v1/own/file')
      .expect(200)
      .expect('content-type', /^text\/csv/);
    expect(file.text).toBe('ab');
    const nothing = await anyone.post('/v1/own/nothing').expect(204);
    expect(nothing.headers.get('content-type')).toBeNull();
  });

  it('a redirection is Nest’s', async () => {
    await anyone.get('/v1/own/moved').expect(307).expect('location', '/v1/own/plain');
  });

  it('what is thrown is refused like anywhere else', async () => {
    expectApiError(await anyone.get('/v1/own/refused'), 'CONFLICT');
    expectApiError(await anyone.get('/v1/own/broken'), 'INTERNAL_SERVER_ERROR');
  });
});

@Module({ controllers: [OwnController, VisitsController], providers: [Visits] })
class Watched implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer
      .apply((_request: unknown, response: { setHeader(name: string, value: string): void }, next: () => void) => {
        response.setHeader('X-Watched', 'yes');
        next();
      })
      .forRoutes('{*path}');
  }
}

@Module({ controllers: [OwnController, VisitsController], providers: [Visits] })
class Throwing implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const refuse = () => {
      throw new ApiError('CONFLICT');
    };
    consumer.apply(refuse).forRoutes('{*path}');
  }
}

/** A module with the routes and an enhancer that Nest runs around all of them. */
function around(provide: string, useClass: Type): Type {
  @Module({
    controllers: [OwnController, VisitsController],
    providers: [Visits, { provide, useClass }],
  })
  class Around {}
  return Around;
}

describe('code that a module runs around every route', () => {
  it.each([
    ['an interceptor', around(APP_INTERCEPTOR, Framing), 'list', 200, '{"framed":[1,"two",null]}'],
    ['a filter, of what it catches', around(APP_FILTER, Teapot), 'mistaken', 418, ''],
    ['a filter, of nothing else', around(APP_FILTER, Teapot), 'list', 200, '[1,"two",null]'],
  ])('%s is run', async (_title, module, name, status, text) => {
    const service = await gatehouse({ modules: [module] });
    try {
      expect(isDirect(service, 'GET', '/v1/users/@me')).toBe(false);
      const response = await service.anonymous.get(`/v1/own/${name}`).expect(status);
      expect(response.text).toBe(text);
    } finally {
      await service.close();
    }
  });

  it('what a filter of a team does not catch is refused as anywhere else', async () => {
    await withGatehouse({ modules: [around(APP_FILTER, Teapot)] }, async ({ anonymous }) => {
      expectApiError(await anonymous.get('/v1/own/refused'), 'CONFLICT');
      expectApiError(await anonymous.get('/v1/own/broken'), 'INTERNAL_SERVER_ERROR');
      expectApiError(await anonymous.get('/v1/users/@me'), 'UNAUTHORIZED');
      expectApiError(await anonymous.get('/v1/nowhere'), 'NOT_FOUND');
    });
  });

  it('a filter of everything gets the errors that are no ApiError', async () => {
    await withGatehouse({ modules: [around(APP_FILTER, Everything)] }, async ({ anonymous }) => {
      await anonymous.get('/v1/own/broken').expect(418);
      expectApiError(await anonymous.get('/v1/own/refused'), 'CONFLICT');
      expectApiError(await anonymous.get('/v1/users/@me'), 'UNAUTHORIZED');
      expectApiError(await anonymous.get('/v1/nowhere'), 'NOT_FOUND');
    });
  });

  it('no route of an application with middleware is called past it', async () => {
    const unguarded = { 'middleware of Watched': 'adds a header' };
    await withGatehouse({ modules: [Watched], unguarded }, async (service) => {
      expect(isDirect(service, 'GET', '/v1/own/list')).toBe(false);
      const alice = await person(service);
      for (const path of ['/v1/own/list', '/v1/users/@me', '/v1/users/@me/settings']) {
        await service.as(alice).get(path).expect(200).expect('x-watched', 'yes');
      }
      const refused = await service.anonymous.get('/v1/users/@me');
      expectApiError(refused, 'UNAUTHORIZED');
      expect(refused.headers.get('x-watched')).toBe('yes');
    });
  });

  it('what middleware throws is refused like anywhere else', async () => {
    const unguarded = { 'middleware of Throwing': 'for this test' };
    await withGatehouse({ modules: [Throwing], unguarded }, async ({ anonymous }) => {
      expectApiError(await anonymous.get('/v1/own/list'), 'CONFLICT');
    });
  });
});

type Marked = { setHeader?(name: string, value: string): void; header?(name: string, value: string): void };
type Platform = {
  use(handler: (request: unknown, response: Marked, next: () => void) => void): void;
  addHook?(event: string, hook: (request: unknown, reply: Marked, payload: unknown, done: () => void) => void): void;
};

/** Registers a hook directly on Express or Fastify. The hook marks each response. */
function mark(platform: Platform): void {
  if (platform.addHook) {
    platform.addHook('onSend', (_request, reply, _payload, done) => {
      reply.header?.('X-Watched', 'yes');
      done();
    });
  } else {
    platform.use((_request, response, next) => {
      response.setHeader?.('X-Watched', 'yes');
      next();
    });
  }
}

/** A module that registers something on the platform as soon as the module is created. */
function hanging(hang: (host: HttpAdapterHost) => void): Type {
  @Module({ controllers: [OwnController, VisitsController], providers: [Visits] })
  class Hanging {
    constructor(host: HttpAdapterHost) {
      hang(host);
    }
  }
  return Hanging;
}

/** The names of everything that the tests below register on the platform. */
const UNGUARDED = Object.fromEntries(
  ['use', 'hook onSend', 'setOnResponseHook', 'enableCors'].map((name) => [name, 'for this test']),
);

describe('hooks of the HTTP platform', () => {
  it('sees every request', async () => {
    const module = hanging(({ httpAdapter }) => mark(httpAdapter.getInstance()));
    await withGatehouse({ modules: [module], unguarded: UNGUARDED }, async (service) => {
      const alice = await person(service);
      for (const path of ['/v1/own/list', '/v1/users/@me', '/v1/users/@me/settings']) {
        await service.as(alice).get(path).expect(200).expect('x-watched', 'yes');
      }
    });
  });

  it.each([
    ['a hook of the adapter', ({ httpAdapter }: HttpAdapterHost) => httpAdapter.setOnResponseHook(() => {})],
    ['CORS by the framework', ({ httpAdapter }: HttpAdapterHost) => httpAdapter.enableCors({})],
  ])('%s takes its routes from the door', async (_title, hang) => {
    await withGatehouse({ modules: [hanging(hang)], unguarded: UNGUARDED }, async (service) => {
      expect(isDirect(service, 'GET', '/v1/own/list')).toBe(false);
      await service.anonymous.get('/v1/own/list').expect(200);
    });
  });
});
