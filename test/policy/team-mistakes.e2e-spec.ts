import {
  Body,
  Controller,
  Get,
  ImATeapotException,
  Injectable,
  Module,
  Param,
  Post,
  Query,
  Scope,
  Version,
} from '@nestjs/common';
import { SubscribeMessage } from '@nestjs/websockets';
import { readRoutes } from '../../src/app.js';
import { execute } from '../../src/cli/execute.js';
import {
  AdminAcl,
  Authenticated,
  type Call,
  Check,
  CurrentCall,
  CurrentIdentity,
  CurrentOperator,
  defineFeature,
  type ErrorCode,
  type Extension,
  GatewayCommands,
  loadConfig,
  OAuthScope,
  Public,
  RateLimit,
  type RouteCheck,
  type SessionIdentity,
  Snowflake,
  Text,
  UserOnly,
} from '../../src/index.js';
import { expectApiError, openTestDatabase, withGatehouse } from '../support/index.js';

/** The lines of the message with which an extension does not start. */
async function faultsOf(extension: Extension): Promise<string[]> {
  const config = loadConfig({ NODE_ENV: 'test', GATEHOUSE_SECRET: 'x'.repeat(44) });
  const error = await readRoutes(config, extension).then(
    () => new Error('the extension starts'),
    (reason: Error) => reason,
  );
  return error.message.split('\n').map((line) => line.trim());
}

class PagePath {
  @Snowflake() page_id: string;
}

class PageInput {
  @Snowflake() page_id: string;
  @Text({ max: 20, optional: true }) note?: string;
}

class Reading implements RouteCheck {
  readonly input: readonly never[] = [];
  readonly errors: readonly ErrorCode[] = [];
  check(): void {}
}

@Injectable()
class Misspelled extends Reading {
  override readonly input = ['page_idd'] as never[];
  override readonly errors = ['PAGES_LOST', 'NOT_FOUND'] as ErrorCode[];
}

@Injectable()
class OfPage extends Reading {
  override readonly input = ['page_id', 'note'] as never[];
}

@Injectable({ scope: Scope.REQUEST })
class Scoped extends Reading {}

class Unprovided extends Reading {}

@Controller('v1/pages/:page_id')
@Authenticated()
class PagesController {
  @Get()
  @Check(Misspelled)
  misspelled(@Param() _path: PagePath): void {}

  @Post()
  @Check(OfPage)
  twice(@Param() _path: PagePath, @Body() _input: PageInput): void {}

  @Get('scoped')
  @Check(Scoped)
  scoped(): void {}

  @Get('unprovided')
  @Check(Unprovided)
  unprovided(): void {}
}

@Controller('v1/page')
class PathController {
  @Get(':id')
  @UserOnly()
  show(@Param() _path: PagePath): void {}
}

class LooseInput {
  @Text({ max: 20 }) title: string;
  /** Projects are compiled with `useDefineForClassFields`, which initializes each field like this. */
  color: string | undefined = undefined;
  readonly unit = 'cm';
}

@Controller({ path: 'v1/drafts', version: '1' })
@UserOnly()
class DraftsController {
  @Get()
  list(): void {}
}

@Controller('v1/sketches')
@UserOnly()
class SketchesController {
  @Get()
  @Version('2')
  list(): void {}

  @Post()
  draw(@Body() _input: LooseInput): void {}

  @Get('search')
  search(@Query() _query: LooseInput): void {}
}

@Controller('v1/callers')
class CallersController {
  @Get()
  @UserOnly()
  // @ts-expect-error: the decorator injects the identity. Projects without a type check are rejected at startup.
  list(@Query() _query: PagePath, @CurrentIdentity() _me: string): void {}

  @Get('raw')
  @UserOnly()
  // @ts-expect-error: the decorator injects the call.
  raw(@CurrentCall() _call: PagePath): void {}

  @Get('sound')
  @UserOnly()
  sound(
    @CurrentIdentity() _me: SessionIdentity,
    @CurrentCall() _call: Call,
    @CurrentIdentity() _other: unknown,
  ): void {}
}

@Controller('v1/admin/callers')
class OperatorsController {
  @Get()
  @AdminAcl('user:lookup')
  // @ts-expect-error: the decorator injects the operator.
  list(@CurrentOperator() _by: PagePath): void {}
}

@GatewayCommands()
class CallersGateway {
  @SubscribeMessage('CALLERS_SHOW')
  @UserOnly()
  // @ts-expect-error: the decorator injects the identity.
  show(@CurrentIdentity() _me: number): void {}
}

@Module({ controllers: [CallersController, OperatorsController], providers: [CallersGateway] })
class CallersModule {}

@Module({ controllers: [DraftsController, SketchesController] })
class DraftsModule {}

@Controller('v1/typos')
@Authenticated()
class TyposController {
  @Get()
  @OAuthScope('idenfity' as 'identify')
  @RateLimit('auth:logn' as 'auth:login')
  list(): void {}

  @Get('far')
  @OAuthScope('weather' as 'identify')
  far(): void {}
}

@Module({ controllers: [TyposController] })
class TyposModule {}

@Controller('v1/tea')
class TeaController {
  @Get()
  @Public()
  brew(): void {
    throw new ImATeapotException('use a kettle');
  }
}

@Module({ controllers: [TeaController] })
class TeaModule {}

@Module({ controllers: [PagesController, PathController], providers: [Misspelled, OfPage, Scoped] })
class PagesModule {}

describe('mistakes of extensions stop the start with their cause and their fix', () => {
  test('a check that cannot work, and a path parameter that does not exist', async () => {
    expect(await faultsOf({ features: [defineFeature('pages', { modules: [PagesModule] })] })).toEqual([
      'Route policy audit failed:',
      "PagesController.misspelled (GET /v1/pages/:page_id) declares @Check(Misspelled) with the unknown error code 'PAGES_LOST'. Declare it in errors of a feature",
      "PagesController.misspelled (GET /v1/pages/:page_id) declares @Check(Misspelled), which reads 'page_idd', but no input class of the handler has it. Add it to the class of @Param(), @Query() or @Body(), or correct input of the check",
      "PagesController.twice (POST /v1/pages/:page_id) declares @Check(OfPage), which reads 'page_id', but params and body have it. Rename it in one of them",
      "PagesController.twice (POST /v1/pages/:page_id) declares @Check(OfPage), which reads 'note', but a request can leave it out. Remove optional and nullable of its rule",
      'PagesController.scoped (GET /v1/pages/:page_id/scoped) declares @Check(Scoped), which is created for every request. Remove the request scope of the class and its dependencies',
      'PagesController.unprovided (GET /v1/pages/:page_id/unprovided) declares @Check(Unprovided), which has no provider. Add Unprovided to the providers of a module',
      'PathController.show (GET /v1/page/:id) requires the path parameter page_id, which its path does not have. Add :page_id, or rename the member',
    ]);
  });

  test('a misspelled scope or bucket, with the name that is similar', async () => {
    expect(await faultsOf({ modules: [TyposModule] })).toEqual([
      'Route policy audit failed:',
      "TyposController.list (GET /v1/typos) names the unknown scope 'idenfity'. Declare it in scopes of a feature. Did you mean 'identify'?",
      "TyposController.list (GET /v1/typos) names the unknown bucket 'auth:logn'. Declare it in buckets of a feature. Did you mean 'auth:login'?",
      "TyposController.far (GET /v1/typos/far) names the unknown scope 'weather'. Declare it in scopes of a feature",
    ]);
  });

  test('a version in addition to that in the path, and a member of an input without a rule', async () => {
    expect(await faultsOf({ modules: [DraftsModule] })).toEqual([
      'Route policy audit failed:',
      'DraftsController.list (GET /v1/v1/drafts) sets a version, but its path also begins with one. Remove it from @Controller()',
      'SketchesController.list (GET /v2/v1/sketches) sets a version, but its path also begins with one. Remove it from @Controller()',
      "SketchesController.draw (POST /v1/sketches) takes LooseInput, whose member 'color' has no rule, so no request can set it. Add a rule, such as @Text()",
      "SketchesController.search (GET /v1/sketches/search) takes LooseInput, whose member 'color' has no rule, so no request can set it. Add a rule, such as @Text()",
    ]);
  });
});

test('a parameter whose type is not that of its decorator stops the start', async () => {
  expect(await faultsOf({ modules: [CallersModule] })).toEqual([
    'Route policy audit failed:',
    'CallersController.list (GET /v1/callers) injects Identity as its argument 2, whose type is String. Correct the type',
    'CallersController.raw (GET /v1/callers/raw) injects Call as its argument 1, whose type is PagePath. Correct the type',
    'OperatorsController.list (GET /v1/admin/callers) injects Operator as its argument 1, whose type is PagePath. Correct the type',
    'CallersGateway.show (WS CALLERS_SHOW) injects Identity as its argument 1, whose type is Number. Correct the type',
  ]);
});

describe('mistakes of extensions are reported while the service runs', () => {
  test('an exception of Nest loses its status and its text, which the log explains', () =>
    withGatehouse({ modules: [TeaModule] }, async (service) => {
      expectApiError(await service.anonymous.get('/v1/tea'), 'BAD_REQUEST');
      expect(service.log.join('')).toContain(
        "ImATeapotException with status 418 becomes BAD_REQUEST, and its text is not sent. Declare a code in errors of a feature and throw new ApiError('CODE') instead",
      );
      expect(service.log.join('')).not.toContain('use a kettle');
    }));

  test('doctor names the tables that no migration creates', async () => {
    const own = await openTestDatabase();
    const lines: string[] = [];
    const ghosts = defineFeature('ghosts', { erasure: { ghosts: { column: 'owner_id' } } });
    const code = await execute(['doctor'], {
      env: { NODE_ENV: 'test', GATEHOUSE_SECRET: 'x'.repeat(44), DATABASE_URL: own.databaseUrl },
      extension: { features: [ghosts] },
      ...(own.embedded ? { embeddedDatabase: own.embedded } : {}),
      out: (line) => void lines.push(line),
      err: (line) => void lines.push(line),
    });
    await own.release();
    expect([code, lines.join('\n')]).toEqual([1, expect.stringContaining('no migration creates these tables: ghosts')]);
    expect(lines.join('\n')).toContain('Write a migration that creates them, and list it in migrations of the feature');
  });
});
