import { Controller, type DynamicModule, Get, Injectable, Query, Scope, type Type, UseGuards } from '@nestjs/common';
import { ConnectedSocket, MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { BeforeIdentify, GatewayCommands, SessionStart } from '../../src/gateway/commands/decorators.js';
import { Text } from '../../src/http/input.js';
import {
  Accepts,
  AdminAcl,
  AllowSuspicious,
  Authenticated,
  BearerOnly,
  BlockedBySso,
  BotOnly,
  Captcha,
  CaseInsensitiveScheme,
  ClientAuth,
  Cors,
  CredentialFree,
  OAuthScope,
  Public,
  RateLimit,
  RequiresSudo,
  UserOnly,
} from '../../src/policy/decorators.js';
import { boot } from '../support/boot.js';

class NoteInput {
  @Text({ max: 5 }) name: string;
}

class Undeclared {
  name: string;
}

const lenient = { canActivate: () => true };

/** Every invalid way to declare a command, all in one application. */
@GatewayCommands()
class WrongGateway {
  @SubscribeMessage('UNDECLARED')
  undeclared() {}

  @SubscribeMessage('ONLY_A_MODIFIER')
  @AllowSuspicious()
  onlyModifier() {}

  @SubscribeMessage('DOUBLED')
  @UserOnly()
  @BotOnly()
  doubled() {}

  @SubscribeMessage('PUBLIC')
  @Public()
  public() {}

  @SubscribeMessage('FREE')
  @CredentialFree()
  free() {}

  @SubscribeMessage('BEARER')
  @BearerOnly()
  bearer() {}

  @SubscribeMessage('ADMIN')
  @AdminAcl('audit_log:view')
  admin() {}

  @SubscribeMessage('CLIENT')
  @ClientAuth()
  client() {}

  @SubscribeMessage('SCOPED')
  @UserOnly()
  @OAuthScope('identify')
  scoped() {}

  @SubscribeMessage('SUDO')
  @UserOnly()
  @RequiresSudo()
  sudo() {}

  @SubscribeMessage('CAPTCHA')
  @UserOnly()
  @Captcha()
  captcha() {}

  @SubscribeMessage('SSO')
  @UserOnly()
  @BlockedBySso()
  sso() {}

  @SubscribeMessage('CORS')
  @UserOnly()
  @Cors('any')
  cors() {}

  @SubscribeMessage('ACCEPTS')
  @UserOnly()
  @Accepts('raw')
  accepts() {}

  @SubscribeMessage('ANY_CASE')
  @BotOnly()
  @CaseInsensitiveScheme()
  anyCase() {}

  @SubscribeMessage('BUCKET')
  @UserOnly()
  @RateLimit('gateway:bot_inf' as never)
  bucket() {}

  @SubscribeMessage('BUCKET_PER')
  @UserOnly()
  @RateLimit('webhook:read', { per: 'id' })
  bucketPer() {}

  @SubscribeMessage('GUARDED')
  @UserOnly()
  @UseGuards(lenient)
  guarded() {}

  @SubscribeMessage('BEFORE')
  @UserOnly()
  @BeforeIdentify()
  before() {}

  @SubscribeMessage('START')
  @UserOnly()
  @SessionStart()
  start() {}

  @SubscribeMessage('BODY_CLASS')
  @UserOnly()
  bodyClass(@MessageBody() _body: Undeclared) {}

  @SubscribeMessage('BODY_OBJECT')
  @UserOnly()
  bodyObject(@MessageBody() _body: object) {}

  @SubscribeMessage('BODY_MEMBER')
  @UserOnly()
  bodyMember(@MessageBody('name') _name: string) {}

  @SubscribeMessage('QUERY')
  @UserOnly()
  query(@Query() _query: NoteInput) {}

  @SubscribeMessage(2)
  @UserOnly()
  identify() {}

  @SubscribeMessage(0)
  @UserOnly()
  zero() {}

  @SubscribeMessage(63)
  @UserOnly()
  reserved() {}

  @SubscribeMessage(256)
  @UserOnly()
  beyond() {}

  @SubscribeMessage(64.5)
  @UserOnly()
  fraction() {}

  @SubscribeMessage('64')
  @UserOnly()
  digits() {}

  @SubscribeMessage('lower_case')
  @UserOnly()
  lowerCase() {}

  @SubscribeMessage({ cmd: 'OBJECT' })
  @UserOnly()
  object() {}

  @SubscribeMessage('SAME')
  @UserOnly()
  same() {}

  @SubscribeMessage('SAME')
  @BotOnly()
  sameAgain() {}
}

class Base {
  @SubscribeMessage('INHERITED')
  inherited() {}
}

@GatewayCommands()
class ChildGateway extends Base {}

@WebSocketGateway({ path: '/gateway' })
class BareGateway {
  @SubscribeMessage('BARE')
  @UserOnly()
  bare() {}
}

@WebSocketGateway({ path: '/other' })
class SilentGateway {}

@WebSocketGateway(9099)
@GatewayCommands()
class ElsewhereGateway {}

@Injectable()
class LostHandlers {
  @SubscribeMessage('LOST')
  @UserOnly()
  lost() {}
}

@GatewayCommands()
@UseGuards(lenient)
class GuardedGateway {}

@GatewayCommands()
@Injectable({ scope: Scope.REQUEST })
class RequestedGateway {}

const FAULTS: [where: string, fault: string][] = [
  ['WrongGateway.undeclared (WS UNDECLARED)', 'declares no policy'],
  ['WrongGateway.onlyModifier', 'declares no policy'],
  ['WrongGateway.doubled', 'has 2 base policies: @UserOnly, @BotOnly'],
  ['WrongGateway.public', 'declares @Public'],
  ['WrongGateway.free', 'declares @CredentialFree'],
  ['WrongGateway.bearer', 'declares @BearerOnly'],
  ['WrongGateway.admin', 'declares @AdminAcl'],
  ['WrongGateway.client', 'declares @ClientAuth'],
  ['WrongGateway.scoped', 'declares @OAuthScope'],
  ['WrongGateway.sudo', 'declares @RequiresSudo'],
  ['WrongGateway.captcha', 'declares @Captcha'],
  ['WrongGateway.sso', 'declares @BlockedBySso'],
  ['WrongGateway.cors', 'declares @Cors'],
  ['WrongGateway.accepts', 'declares @Accepts'],
  ['WrongGateway.anyCase', 'declares @CaseInsensitiveScheme'],
  [
    'WrongGateway.bucket (',
    "unknown bucket 'gateway:bot_inf'. Declare it in buckets of a feature. Did you mean 'gateway:bot_info'?",
  ],
  ['WrongGateway.bucketPer', 'uses per or misses of @RateLimit'],
  ['WrongGateway.guarded', '@UseGuards'],
  ['WrongGateway.before', 'which only built-in commands can use'],
  ['WrongGateway.start', 'which only built-in commands can use'],
  ['WrongGateway.bodyClass', 'takes unvalidated body'],
  ['WrongGateway.bodyObject', 'takes unvalidated body'],
  ['WrongGateway.bodyMember', 'takes unvalidated body'],
  ['WrongGateway.query', 'uses @Param() or @Query()'],
  ['WrongGateway.identify (WS 2)', 'subscribes to an invalid message'],
  ['SessionGateway.identify and WrongGateway.identify', 'both subscribe to WS 2'],
  ['WrongGateway.zero', 'subscribes to an invalid message'],
  ['WrongGateway.reserved', 'subscribes to an invalid message'],
  ['WrongGateway.beyond', 'subscribes to an invalid message'],
  ['WrongGateway.fraction', 'subscribes to an invalid message'],
  ['WrongGateway.digits', 'subscribes to an invalid message'],
  ['WrongGateway.lowerCase', 'subscribes to an invalid message'],
  ['WrongGateway.object', 'subscribes to an invalid message'],
  ['WrongGateway.same and WrongGateway.sameAgain', 'both subscribe to WS SAME'],
  ['ChildGateway.inherited (WS INHERITED)', 'declares no policy'],
  ['BareGateway', 'has no @GatewayCommands()'],
  ['SilentGateway', 'has no @GatewayCommands()'],
  ['ElsewhereGateway', 'has @WebSocketGateway and @GatewayCommands()'],
  ['LostHandlers', 'has no @GatewayCommands()'],
  ['GuardedGateway', '@UseGuards'],
  ['RequestedGateway', 'is created for every message'],
];

const providing = (...providers: Type[]): DynamicModule => {
  class ProbeModule {}
  return { module: ProbeModule, providers };
};

describe('gateway 4: a command with an invalid declaration stops the startup', () => {
  let faults: string[] = [];
  beforeAll(async () => {
    const module = providing(
      ...[WrongGateway, ChildGateway, BareGateway, SilentGateway, ElsewhereGateway, LostHandlers],
      ...[GuardedGateway, RequestedGateway],
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
  });

  test('reported together with the routes', async () => {
    @Controller('v1/wrong')
    class WrongController {
      @Get()
      get() {}
    }
    const module = { ...providing(LostHandlers), controllers: [WrongController] };
    await expect(boot([module])).rejects.toThrow(/WrongController.get[^\n]+\n.*LostHandlers/);
  });

  test('a gateway in two modules handles commands twice', async () => {
    @GatewayCommands()
    class SharedGateway {
      @SubscribeMessage(64)
      @UserOnly()
      serve() {}
    }
    const boots = boot([providing(SharedGateway), providing(SharedGateway)]);
    await expect(boots).rejects.toThrow('SharedGateway.serve and SharedGateway.serve both subscribe to WS 64');
  });

  test('an extension with complete declarations starts', async () => {
    @GatewayCommands()
    class RightGateway {
      @SubscribeMessage(64)
      @Authenticated()
      @AllowSuspicious()
      @RateLimit('webhook:read')
      first(@ConnectedSocket() _connection: object, @MessageBody() _body: NoteInput) {}

      @SubscribeMessage(255)
      @UserOnly()
      last() {}

      @SubscribeMessage('NOTES_WATCH')
      @BotOnly()
      named() {}
    }
    const app = await boot([providing(RightGateway)]);
    await app.close();
  });
});
