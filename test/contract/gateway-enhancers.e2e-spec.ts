import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Module,
  type NestInterceptor,
  UseInterceptors,
  ValidationPipe,
} from '@nestjs/common';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ConnectedSocket, MessageBody, SubscribeMessage } from '@nestjs/websockets';
import { map } from 'rxjs';
import type { GatewayConnection } from '../../src/gateway/commands/command.js';
import { GatewayCommands } from '../../src/gateway/commands/decorators.js';
import { Text } from '../../src/http/input.js';
import { UserOnly } from '../../src/policy/decorators.js';
import { GatewayClient } from '../support/gateway-client.js';
import { type Gatehouse, gatehouse, type Persona, person } from '../support/index.js';

class NoteInput {
  @Text({ max: 5 }) name: string;
}

@Injectable()
class Seen implements NestInterceptor {
  static readonly kinds: string[] = [];

  intercept(context: ExecutionContext, next: CallHandler) {
    Seen.kinds.push(`${context.getType()} ${context.getHandler().name}`);
    return next.handle();
  }
}

@Injectable()
class Doubling implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler) {
    return next.handle().pipe(map(({ event, data }) => ({ event, data: data + data })));
  }
}

@GatewayCommands()
class NotesGateway {
  @SubscribeMessage('NOTES_SAY')
  @UserOnly()
  @UseInterceptors(Doubling)
  say(@MessageBody() { name }: NoteInput, @ConnectedSocket() connection: GatewayConnection) {
    return { event: 'NOTES_SAID', data: connection.session ? name : '' };
  }

  @SubscribeMessage('NOTES_FAIL')
  @UserOnly()
  @UseInterceptors(Doubling)
  fail(): never {
    throw new Error('behind an interceptor');
  }
}

@Module({
  providers: [
    NotesGateway,
    { provide: APP_INTERCEPTOR, useClass: Seen },
    { provide: APP_PIPE, useValue: new ValidationPipe({ whitelist: true, transform: true }) },
  ],
})
class NotesModule {}

let service: Gatehouse;
let alice: Persona;
beforeAll(async () => {
  service = await gatehouse({ modules: [NotesModule] });
  alice = await person(service, 'alice');
});
afterAll(() => service.close());

test('gateway 3: interceptors and pipes of an extension apply to every handler and do not change those of the service', async () => {
  const { client, ready } = await GatewayClient.identify(service, alice.authorization);
  await client.sendHeartbeat(1);
  client.resume(alice.authorization, ready.session_id, 1);
  await client.event('RESUMED');
  expect(Seen.kinds).toEqual(expect.arrayContaining(['ws identify', 'ws heartbeat', 'ws resume']));
  client.send({ op: 2 });
  expect(await client.closed()).toEqual([4005, 'Already authenticated']);
});

test('gateway 4: an interceptor sees the result of a handler, and an error passes through it', async () => {
  const { client } = await GatewayClient.identify(service, alice.authorization);
  client.send({ op: 0, t: 'NOTES_SAY', d: { name: 'ab' } });
  expect((await client.event('NOTES_SAID')).d).toBe('abab');
  client.send({ op: 0, t: 'NOTES_FAIL' });
  const reported = {
    op: 0,
    t: 'NOTES_FAIL',
    code: 'INTERNAL_SERVER_ERROR',
    message: 'Internal error. Include the request ID in support requests.',
  };
  expect((await client.event('REFUSED')).d).toEqual(reported);
});
