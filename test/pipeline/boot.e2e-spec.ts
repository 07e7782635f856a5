import {
  All,
  Body,
  type CanActivate,
  Controller,
  type DynamicModule,
  Get,
  Head,
  Injectable,
  Module,
  type OnModuleInit,
  Param,
  Post,
  Query,
  Scope,
  type Type,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { APP_GUARD, ApplicationConfig, RouterModule } from '@nestjs/core';
import { Text } from '../../src/http/input.js';
import { GuardStack } from '../../src/pipeline/guard-stack.js';
import {
  Accepts,
  AdminAcl,
  AllowSuspicious,
  Authenticated,
  BearerOnly,
  BotOnly,
  Captcha,
  ClientAuth,
  CredentialFree,
  OAuthScope,
  Public,
  RateLimit,
  RequiresSudo,
  UserOnly,
} from '../../src/policy/decorators.js';
import { boot } from '../support/boot.js';

const moduleOf = (...controllers: Type[]): DynamicModule => {
  class ProbeModule {}
  return { module: ProbeModule, controllers };
};

@Injectable()
class Lenient implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

class NameInput {
  @Text({ max: 5 }) name: string;
}

class Undeclared {
  name: string;
}

/** Every invalid way to declare a route, all in one application. The audit reports all of them together. */
@Controller('v1/wrong')
class WrongController {
  @Get('undeclared')
  undeclared() {}

  @Get('doubled')
  @UserOnly()
  @Public()
  doubled() {}

  @Get('repeated')
  @UserOnly()
  @AllowSuspicious()
  @AllowSuspicious()
  repeated() {}

  @Get('public-suspicious')
  @Public()
  @AllowSuspicious()
  publicSuspicious() {}

  @Get('bot-sudo')
  @BotOnly()
  @RequiresSudo()
  botSudo() {}

  @Get('bot-scope')
  @BotOnly()
  @OAuthScope('identify')
  botScope() {}

  @Get('public-scope')
  @Public()
  @OAuthScope('identify')
  publicScope() {}

  @Get('free-captcha')
  @CredentialFree()
  @Captcha()
  freeCaptcha() {}

  @Post('client-sudo')
  @ClientAuth()
  @RequiresSudo()
  clientSudo() {}

  @Get('bearer-sudo')
  @BearerOnly()
  @RequiresSudo()
  bearerSudo() {}

  @Post('scope-sudo')
  @UserOnly()
  @OAuthScope('identify')
  @RequiresSudo()
  scopeSudo() {}

  @Get('guarded')
  @UserOnly()
  @UseGuards(Lenient)
  guarded() {}

  @Get('admin')
  @AdminAcl('audit_log:view')
  admin() {}

  @Get('scope')
  @BearerOnly()
  @OAuthScope('everything' as never)
  scope() {}

  @Get('bucket')
  @UserOnly()
  @RateLimit('no:such' as never)
  bucket() {}

  @Get('per')
  @UserOnly()
  @RateLimit('webhook:read', { per: 'id' })
  per() {}

  @Get('accepts')
  @UserOnly()
  @Accepts('form')
  accepts() {}

  @Post('body')
  @UserOnly()
  body(@Body() _body: Undeclared) {}

  @Post('body-object')
  @UserOnly()
  bodyObject(@Body() _body: object) {}

  @Post('body-member')
  @UserOnly()
  bodyMember(@Body('name') _name: string) {}

  @Post('body-pipe')
  @UserOnly()
  bodyPipe(@Body(new ValidationPipe()) _body: NameInput) {}

  @Get('body-get')
  @UserOnly()
  bodyGet(@Body() _body: NameInput) {}

  @Post('body-raw')
  @UserOnly()
  @Accepts('raw')
  bodyRaw(@Body() _body: NameInput) {}

  @Get('param/:id')
  @UserOnly()
  param(@Param('id') _id: string) {}

  @Get('params/:id')
  @UserOnly()
  params(@Param() _params: Record<string, string>) {}

  @Get('query')
  @UserOnly()
  query(@Query('page') _page: string) {}

  @All('every')
  @UserOnly()
  every() {}

  @Head('head')
  @UserOnly()
  head() {}

  @Get('same/:a')
  @UserOnly()
  same() {}

  @Get('same/:b')
  @UserOnly()
  sameAgain() {}
}

@Controller('v1/admin/wrong')
class WrongAdminController {
  @Get('open')
  @Public()
  open() {}

  @Get('user')
  @UserOnly()
  user() {}

  @Get('acl')
  @AdminAcl('no:such' as never)
  acl() {}

  @Get('none')
  @AdminAcl({ anyOf: [] as never })
  none() {}

  @Get('scope')
  @AdminAcl('audit_log:view')
  @OAuthScope('identify')
  scope() {}
}

@Controller('v1/wrong-class')
@UseGuards(Lenient)
class GuardedController {
  @Get()
  @UserOnly()
  get() {}
}

class Base {
  @Get('inherited')
  inherited() {}

  @Get('declared')
  @UserOnly()
  declared() {}
}

@Controller('v1/child')
class ChildController extends Base {}

@Controller({ path: 'v1/requested', scope: Scope.REQUEST })
class RequestedController {
  @Get()
  get() {}
}

@Controller({ path: 'v1/hosted', host: 'admin.example' })
class HostedController {
  @Get()
  @Public()
  get() {}
}

const FAULTS: [where: string, fault: string][] = [
  ['WrongController.undeclared (GET /v1/wrong/undeclared)', 'declares no policy'],
  ['WrongController.doubled (GET /v1/wrong/doubled)', 'has 2 base policies: @UserOnly, @Public'],
  ['WrongController.repeated (GET /v1/wrong/repeated)', 'repeats @AllowSuspicious'],
  ['WrongController.publicSuspicious', 'declares @AllowSuspicious, which @Public does not allow'],
  ['WrongController.botSudo', 'declares @RequiresSudo, which @BotOnly does not allow'],
  ['WrongController.botScope', 'declares @OAuthScope, which @BotOnly does not allow'],
  ['WrongController.publicScope', 'declares @OAuthScope, which @Public does not allow'],
  ['WrongController.freeCaptcha', 'declares @Captcha, which @CredentialFree does not allow'],
  ['WrongController.clientSudo', 'declares @RequiresSudo, which @ClientAuth does not allow'],
  ['WrongController.scopeSudo', 'declares @OAuthScope() and @RequiresSudo(), but no access token satisfies sudo mode'],
  ['WrongController.bearerSudo', 'declares @RequiresSudo, which @BearerOnly does not allow'],
  ['WrongController.guarded', '@UseGuards'],
  ['WrongController.admin', 'declares @AdminAcl() outside /v1/admin'],
  ['WrongController.scope', "unknown scope 'everything'"],
  ['WrongController.bucket', "unknown bucket 'no:such'"],
  ['WrongController.per', "limits per 'id', but the path has no parameter :id"],
  ['WrongController.accepts', 'declares @Accepts, but its method has no body'],
  ['WrongController.body (', 'takes unvalidated body'],
  ['WrongController.bodyObject', 'takes unvalidated body'],
  ['WrongController.bodyMember', 'takes unvalidated body'],
  ['WrongController.bodyPipe', 'takes unvalidated body'],
  ['WrongController.bodyGet', 'uses @Body(), but its method has no body'],
  ['WrongController.bodyRaw', 'uses @Body(), although @Accepts lets'],
  ['WrongController.param (', 'takes unvalidated params'],
  ['WrongController.params (', 'takes unvalidated params'],
  ['WrongController.query (', 'takes unvalidated query'],
  ['WrongController.every', 'uses @All()'],
  ['WrongController.head', 'has the unsupported method HEAD'],
  ['WrongController.same and WrongController.sameAgain', 'both have the route GET /v1/wrong/same/:b'],
  ['WrongAdminController.open', 'is below /v1/admin without @AdminAcl()'],
  ['WrongAdminController.user', 'is below /v1/admin without @AdminAcl()'],
  ['WrongAdminController.acl', "unknown ACL 'no:such'"],
  ['WrongAdminController.none', 'declares @AdminAcl without an ACL'],
  ['WrongAdminController.scope', 'declares @OAuthScope, which @AdminAcl does not allow'],
  ['GuardedController', '@UseGuards'],
  ['ChildController.inherited (GET /v1/child/inherited)', 'declares no policy'],
  ['RequestedController.get (GET /v1/requested)', 'declares no policy'],
  ['HostedController', 'sets a host in @Controller()'],
];

describe('credentials.md 3: a route with an invalid declaration stops the startup', () => {
  let faults: string[] = [];
  beforeAll(async () => {
    const module = moduleOf(
      ...[WrongController, WrongAdminController, GuardedController, ChildController, RequestedController],
      HostedController,
    );
    const error = await boot([module]).then(
      () => null,
      (reason: Error) => reason,
    );
    faults = (error?.message ?? '').split('\n').slice(1);
  });

  test.each(FAULTS)('%s %s', (where, fault) => {
    expect(faults.filter((line) => line.includes(where) && line.includes(fault))).toHaveLength(1);
  });

  test('and no other error is found', () => {
    expect(faults).toHaveLength(FAULTS.length);
    expect(faults.join()).not.toContain('ChildController.declared');
  });
});

const imported = (module: DynamicModule): DynamicModule => {
  class OuterModule {}
  return { module: OuterModule, imports: [module] };
};

const providing = (...providers: NonNullable<DynamicModule['providers']>): DynamicModule => {
  class StrayModule {}
  return { module: StrayModule, providers };
};

@Injectable()
class EarlyBird {
  constructor(application: ApplicationConfig) {
    application.addGlobalGuard(new Lenient());
  }
}

@Injectable()
class LateBird implements OnModuleInit {
  constructor(private readonly application: ApplicationConfig) {}

  onModuleInit(): void {
    this.application.useGlobalGuards(new Lenient());
  }
}

@Injectable({ scope: Scope.REQUEST })
class PerRequest extends Lenient {}

describe('style.md 3.5: a guard outside the order stops the startup', () => {
  test.each<[title: string, module: DynamicModule]>([
    ['a class', providing({ provide: APP_GUARD, useClass: Lenient })],
    ['a value', providing({ provide: APP_GUARD, useValue: new Lenient() })],
    ['a factory', providing({ provide: APP_GUARD, useFactory: () => new Lenient() })],
    ['an existing provider', providing(Lenient, { provide: APP_GUARD, useExisting: Lenient })],
    ['a second stack', providing({ provide: APP_GUARD, useExisting: GuardStack })],
    ['a guard of every request', providing({ provide: APP_GUARD, useClass: PerRequest })],
    ['an imported module', imported(imported(providing({ provide: APP_GUARD, useClass: Lenient })))],
  ])('APP_GUARD as %s', async (_title, module) => {
    await expect(boot([module])).rejects.toThrow(/APP_GUARD|useGlobalGuards|GuardStack/);
  });

  test.each<[title: string, type: Type]>([
    ['in a constructor', EarlyBird],
    ['when modules start', LateBird],
  ])('useGlobalGuards %s', async (_title, type) => {
    await expect(boot([providing(type)])).rejects.toThrow('useGlobalGuards');
  });

  test('a module mounted under a path hides the paths of its routes', async () => {
    @Controller('probe')
    class MountedController {
      @Get()
      @Public()
      get() {}
    }
    @Module({ controllers: [MountedController] })
    class MountedModule {}
    const router = RouterModule.register([{ path: 'v1/admin', module: MountedModule }]);
    await expect(boot([MountedModule, router])).rejects.toThrow('MountedModule');
  });
});

describe('credentials.md 3: complete declarations', () => {
  test('an extension with complete declarations starts', async () => {
    @Controller('v1/right')
    class RightController {
      @Post(':name')
      @Authenticated()
      @OAuthScope('identify')
      @RateLimit('webhook:read', { per: 'name' })
      post(@Param() _path: NameInput, @Query() _query: NameInput, @Body() _body: NameInput) {}
    }
    const app = await boot([moduleOf(RightController)]);
    await app.close();
  });
});
