import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Body,
  Controller,
  Get,
  ImATeapotException,
  Injectable,
  Module,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Req,
  Res,
  Scope,
  Version,
} from '@nestjs/common';
import { SubscribeMessage } from '@nestjs/websockets';
import typescript from 'typescript';
import { readRoutes } from '../../src/app.js';
import { execute } from '../../src/cli/execute.js';
import { describeProgram } from '../../src/description/compiler/describe.js';
import {
  AdminAcl,
  ApiError,
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
  settings,
  Text,
  UserOnly,
} from '../../src/index.js';
import { RESPONSE_PATIENCE_MS } from '../../src/pipeline/response-watch.js';
import {
  eventually,
  expectApiError,
  type Gatehouse,
  gatehouse,
  openTestDatabase,
  shortenTimers,
} from '../support/index.js';

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

interface Outline {
  readonly title: string;
}

class Ruleless {
  title: string;
}

/** Each handler binds input that the service could not validate, for another reason. */
@Controller('v1/unbound')
@UserOnly()
class UnboundController {
  @Post('outline')
  outline(@Body() _input: Outline): void {}

  @Post('type-only')
  typeOnly(@Body() _input: PageInput): void {}

  @Post('untyped')
  untyped(@Body() _input: PageInput): void {}

  @Post('ruleless')
  ruleless(@Body() _input: Ruleless): void {}

  @Post('named')
  named(@Body('title') _title: string): void {}

  @Post(':page_id')
  piped(@Param(ParseIntPipe) _path: PagePath): void {}
}
// The output of the compiler for a class that is imported by `import type`, and the output of esbuild.
Reflect.defineMetadata('design:paramtypes', [Function], UnboundController.prototype, 'typeOnly');
Reflect.deleteMetadata('design:paramtypes', UnboundController.prototype, 'untyped');

@Module({ controllers: [UnboundController] })
class UnboundModule {}

class JamSettings extends settings('Jam', (read) => ({ port: read.int('PORT', 'The port of the jam', 1, [1, 2]) })) {}
class WaspSettings extends settings('Wasp', (read) => ({ nests: read.int('WASP_NESTS', 'Nests', 0, [1, 2]) })) {}
class HoneySettings extends settings('Honey', (read) => ({ jars: read.int('HONEY_JARS', 'Jars', 1, [1, 2]) })) {}

@Injectable()
class Jars {
  constructor(readonly honey: HoneySettings) {}
}

@Module({ providers: [Jars] })
class JarsModule {}

@Controller('v1/tea')
class TeaController {
  @Get()
  @Public()
  brew(): void {
    throw new ImATeapotException('use a kettle');
  }

  @Get('undeclared')
  @Public()
  undeclared(): void {
    throw new ApiError('TEA_COLD' as 'CONFLICT');
  }

  @Get('undeclared-field')
  @Public()
  undeclaredField(): void {
    throw new ApiError('INVALID_FORM_BODY', { errors: [{ path: 'cup', code: 'TEA_WEAK' as 'INVALID_FORMAT' }] });
  }

  @Post('leaves')
  @Public()
  leaves(): void {}

  @Get('kettle')
  @Public()
  kettle(@Res() _response: object): void {}

  @Get('kinds')
  @Public()
  kinds(@Req() { query }: { query: object }): object {
    return { ...query };
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

  test('input that could not be validated, each with its reason', async () => {
    expect(await faultsOf({ modules: [UnboundModule] })).toEqual([
      'Route policy audit failed:',
      'UnboundController.outline (POST /v1/unbound/outline) takes unvalidated body, because its type is not a class at run time. Use a class, not an interface, and import it without "type"',
      'UnboundController.typeOnly (POST /v1/unbound/type-only) takes unvalidated body, because its class is imported with "import type". Import the class without "type"',
      'UnboundController.untyped (POST /v1/unbound/untyped) takes unvalidated body, because the build does not contain the types of parameters. Compile with tsc and emitDecoratorMetadata, or with SWC and decoratorMetadata. esbuild and tsx cannot emit them',
      'UnboundController.ruleless (POST /v1/unbound/ruleless) takes unvalidated body, because no member of Ruleless has a rule. Add one to each, such as @Text()',
      'UnboundController.named (POST /v1/unbound/named) takes unvalidated body, because its decorator names "title". Remove the name, and bind the whole of it to a class whose members have rules',
      'UnboundController.piped (POST /v1/unbound/:page_id) takes unvalidated params, because its decorator has a pipe. Remove the pipe, and use a class whose members have rules',
    ]);
  });

  test('a name that exists, with its owner, and a malformed name, with the valid form', async () => {
    const text = { 'en-US': 'Read the tea' };
    const declaration = {
      scopes: { identify: text, 'tea leaves': text },
      errors: { tea_cold: [409, 'Cold.'] },
    } as const;
    expect(await faultsOf({ features: [defineFeature('tea', declaration)] })).toEqual([
      'Invalid features:',
      'tea: the error code "tea_cold" is not a valid name. Use upper-case letters, digits and _, and begin with a letter',
      'tea: the scope "identify" exists already in the feature oauth. Rename it',
      'tea: the scope "tea leaves" is not a valid name. Use at most 64 visible ASCII characters without space, double quote and backslash',
    ]);
  });

  test('a setting whose name is taken, with the class that declares it', () => {
    expect(() => loadConfig({ NODE_ENV: 'test', PORT: '8080' }, [JamSettings])).toThrow(
      'JamSettings declares the setting PORT, which InstanceSettings declares already. Rename it, and begin it with the name of its feature, such as NOTES_PORT',
    );
  });

  test('a default of a setting outside of its limits, even if a value is set', () => {
    const message = 'The default 0 of the setting WASP_NESTS is not from 1 to 2. Correct the default or the limits';
    for (const set of [{}, { WASP_NESTS: '2' }]) {
      expect(() => loadConfig({ NODE_ENV: 'test', ...set }, [WaspSettings])).toThrow(message);
    }
  });

  test('a settings class that no feature lists', async () => {
    expect(await faultsOf({ modules: [JarsModule] })).toEqual([
      "Jars injects HoneySettings, which is not in settings of a feature. Add it to settings of the feature: defineFeature('notes', { settings: [HoneySettings] })",
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

const VAULTS = `
  declare const Controller: () => ClassDecorator;
  declare const Get: () => MethodDecorator;
  declare class Buffer {}
  class Vault { id: string; passwordHash: string }
  @Controller()
  export class VaultsController {
    @Get() show(): { vaults: Vault[] } { return { vaults: [] }; }
    @Get() key(): Buffer { return new Buffer(); }
    @Get() id(): { id: string; token: string } { return { id: '1', token: '2' }; }
    @Get() anything(): any { return {}; }
  }`;

describe('mistakes of extensions stop other programs', () => {
  test('a response with a stored secret, with bytes or without a type is not described', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-vaults-'));
    const file = join(folder, 'vaults.ts');
    writeFileSync(file, VAULTS);
    const program = typescript.createProgram([file], { experimentalDecorators: true, types: [], strict: true });
    expect(() => describeProgram(typescript, program, folder)).toThrow(
      /^Describing the controllers failed:\n.*VaultsController\.show: vaults: passwordHash: a response must not contain a stored secret\. Return an object without it\n.*VaultsController\.key: Buffer cannot be JSON\. Return it as text, such as Base64\n.*VaultsController\.anything: The return type is `any`\. Declare its type$/,
    );
    rmSync(folder, { recursive: true });
  });

  test.each([
    [
      '18.20.8',
      1,
      /^Node\.js 18\.20\.8 is too old\. Install one of 20\.19, 22\.13, .* or a newer version of these\.\n$/,
    ],
    ['20.18.3', 1, /^Node\.js 20\.18\.3 is too old/],
    ['22.12.0', 1, /^Node\.js 22\.12\.0 is too old/],
    ['20.19.0', 0, /^$/],
    ['25.0.0', 0, /^$/],
  ])('Node.js %s ends with %i before the service is loaded', (node, status, message) => {
    const versions = JSON.stringify({ ...process.versions, node });
    const script = `Object.defineProperty(process, 'versions', { value: ${versions} }); require('./src/core/require-node.cjs')`;
    const ended = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect([ended.status, ended.stderr]).toEqual([status, expect.stringMatching(message)]);
  });
});

describe('mistakes of extensions are reported while the service runs', () => {
  let service: Gatehouse;
  beforeAll(async () => {
    service = await gatehouse({ modules: [TeaModule] });
  });
  afterAll(() => service.close());
  const logged = () => service.log.join('');

  test('an exception of Nest loses its status and its text, which the log explains', async () => {
    expectApiError(await service.anonymous.get('/v1/tea'), 'BAD_REQUEST');
    expect(logged()).toContain(
      "ImATeapotException with status 418 becomes BAD_REQUEST, and its text is not sent. Declare a code in errors of a feature and throw new ApiError('CODE') instead",
    );
    expect(logged()).not.toContain('use a kettle');
  });

  test.each([
    ['/v1/tea/undeclared', 'No feature declares the error code TEA_COLD. Declare it in errors of a feature'],
    ['/v1/tea/undeclared-field', 'No feature declares the field code TEA_WEAK. Declare it in fieldErrors of a feature'],
  ])('%s: a code that no feature declares is a 500, and the log names it', async (path, fault) => {
    expectApiError(await service.anonymous.get(path), 'INTERNAL_SERVER_ERROR');
    expect(logged()).toContain(`${fault}, and list the feature in features of the extension`);
  });

  test('a file for a route that takes JSON is rejected, and the log names the decorator', async () => {
    const file = new FormData();
    file.set('leaf', new Blob(['green']), 'leaf.txt');
    expectApiError(await service.anonymous.post('/v1/tea/leaves', file), 'UNSUPPORTED_MEDIA_TYPE');
    expect(logged()).toContain(
      "the route accepts only application/json. If it takes a file or another body, declare @Accepts('raw')",
    );
  });

  test('a handler that takes the response and does not end it is named in the log', async () => {
    const restore = shortenTimers(RESPONSE_PATIENCE_MS);
    const request = get(`${service.url}/v1/tea/kettle`).on('error', () => {});
    const isLogged = async () => logged().includes('TeaController.kettle takes @Res()') || undefined;
    await eventually('the report of the handler', isLogged).finally(restore);
    expect(logged()).toContain(
      'TeaController.kettle takes @Res() and has sent no response for 10 seconds. End the response, such as with res.end(), or use @Res({ passthrough: true }) and return a value',
    );
    request.destroy();
  });

  test('the request of the framework has the query parameters', async () => {
    await service.anonymous.get('/v1/tea/kinds?leaf=green&leaf=black&cups=2').expect(200, {
      leaf: ['green', 'black'],
      cups: '2',
    });
    await service.anonymous.get('/v1/tea/kinds').expect(200, {});
  });

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
