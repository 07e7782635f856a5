import { Module } from '@nestjs/common';
import { ConnectedSocket, MessageBody, SubscribeMessage } from '@nestjs/websockets';
import { ApiError } from '../../src/core/errors.js';
import type { GatewayConnection } from '../../src/gateway/commands/command.js';
import { GatewayCommands } from '../../src/gateway/commands/decorators.js';
import { LiveSessions } from '../../src/gateway/sessions/live-sessions.service.js';
import { AnyObject, Snowflake, Text } from '../../src/http/input.js';
import {
  AllowSuspicious,
  Authenticated,
  BotOnly,
  CurrentIdentity,
  RateLimit,
  UserOnly,
} from '../../src/policy/decorators.js';
import { defineFeature, gatewayEvent } from '../../src/policy/feature.js';
import type { Identity } from '../../src/policy/identity.js';
import { failNextStatement } from '../machine/failing-statements.js';
import { blockLookups, GatewayClient } from '../support/gateway-client.js';
import {
  createCredentialSet,
  type Gatehouse,
  gatehouse,
  newApp,
  type Persona,
  person,
  withGatehouse,
} from '../support/index.js';

const notes = defineFeature('notes', {
  errors: { NOTES_GONE: [410, 'There is no note.'] },
  events: { NOTES_COUNT: gatewayEvent<number>() },
  buckets: { 'notes:count': [2, 1_000_000] },
});

declare module '../../src/core/merged.js' {
  interface Features {
    notesOfCommands: typeof notes;
  }
}

class WatchInput {
  @Snowflake() note_id: string;
  @Text({ max: 5, optional: true }) label?: string;
  @AnyObject({ optional: true }) more?: object;
}

/** Records what the handlers were called with. */
let served: unknown[] = [];
let ended: GatewayConnection[] = [];
let release = () => {};

@GatewayCommands()
class NotesGateway {
  handleConnection(): void {
    throw new Error('a hook that throws');
  }

  async handleDisconnect(): Promise<void> {
    throw new Error('a hook that rejects');
  }

  @SubscribeMessage('NOTES_WATCH')
  @UserOnly()
  watch(
    @CurrentIdentity() me: Identity,
    @MessageBody() body: WatchInput,
    @ConnectedSocket() { session }: GatewayConnection,
  ) {
    served.push({ me: me.account.id, via: me.via, body, isInput: body instanceof WatchInput, session: session?.id });
    return { event: 'NOTES_WATCHED', data: { note_id: body.note_id } };
  }

  @SubscribeMessage(64)
  @Authenticated()
  @RateLimit('notes:count')
  count(@ConnectedSocket() connection: GatewayConnection): void {
    served.push('count');
    connection.dispatch('NOTES_COUNT', 3);
  }

  @SubscribeMessage(65)
  @BotOnly()
  @AllowSuspicious()
  async robot(@CurrentIdentity() me: Identity) {
    served.push(me.via);
    return { event: 'NOTES_ROBOT' };
  }

  @SubscribeMessage(66)
  @BotOnly()
  strictRobot(): void {
    served.push('strict');
  }

  @SubscribeMessage(67)
  @UserOnly()
  undecorated(connection: GatewayConnection, payload: unknown): void {
    served.push({ isClosed: connection.isClosed, payload });
  }

  @SubscribeMessage('NOTES_GONE')
  @UserOnly()
  gone(): never {
    throw new ApiError('NOTES_GONE');
  }

  @SubscribeMessage('NOTES_BROKEN')
  @UserOnly()
  broken(@MessageBody() _body: WatchInput): never {
    throw new Error('a handler that throws');
  }

  @SubscribeMessage('NOTES_WORDS')
  @UserOnly()
  words(): string {
    return 'no event';
  }

  @SubscribeMessage('NOTES_SLOW')
  @UserOnly()
  async slow() {
    served.push('slow');
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return { event: 'NOTES_SLOW_DONE', data: {} };
  }
}

@GatewayCommands()
class TellingGateway {
  handleDisconnect(connection: GatewayConnection): void {
    ended.push(connection);
  }
}

@Module({ providers: [NotesGateway, TellingGateway] })
class NotesModule {}

let service: Gatehouse;
let alice: Persona;
let robot: string;
beforeAll(async () => {
  service = await gatehouse({ features: [notes], modules: [NotesModule] });
  alice = await person(service, 'alice');
  robot = (await newApp(service, alice)).bot.slice('Bot '.length);
});
afterAll(() => service.close());
beforeEach(() => {
  served = [];
  ended = [];
});

const named = (t: string, d?: unknown) => ({ op: 0, t, d });
const identify = async (token: string, more: object = {}) =>
  (await GatewayClient.identify(service, token, more)).client;

/** Sends a command that is rejected. Returns the error and checks that the connection stays open. */
async function refusal(client: GatewayClient, payload: object) {
  client.send(payload);
  const { d } = await client.event('REFUSED');
  await client.sendHeartbeat();
  return d;
}

describe('gateway 4: commands of extensions', () => {
  test('a named command is served after Identify, with the caller and the validated payload', async () => {
    const { client, ready } = await GatewayClient.identify(service, alice.authorization);
    client.send(named('NOTES_WATCH', { note_id: 12, label: 'mine', unknown: 1 }));
    const response = await client.event('NOTES_WATCHED');
    expect(response).toEqual({ op: 0, t: 'NOTES_WATCHED', s: expect.any(Number), d: { note_id: '12' } });
    expect(served).toEqual([
      {
        ...{ me: alice.id, via: 'session', isInput: true, session: ready.session_id },
        body: { note_id: '12', label: 'mine' },
      },
    ]);
  });

  test('an opcode is served; its dispatched events have the next sequence', async () => {
    const client = await identify(alice.authorization, { ignored_events: ['SESSIONS_REPLACE'] });
    client.send({ op: 64 });
    expect(await client.next()).toEqual({ op: 0, t: 'NOTES_COUNT', s: 2, d: 3 });
    client.send({ op: 64, d: 'ignored' });
    expect(await client.next()).toEqual({ op: 0, t: 'NOTES_COUNT', s: 3, d: 3 });
  });

  test('a response without data has null; an undefined result sends nothing', async () => {
    const client = await identify(robot);
    client.send({ op: 65 });
    expect((await client.event('NOTES_ROBOT')).d).toBeNull();
    client.send({ op: 66 });
    await client.sendHeartbeat();
    expect(client.received.map(({ t }) => t)).not.toContain('REFUSED');
    expect(served).toEqual(['bot', 'strict']);
  });

  test.each([named('NOTES_WATCH', { note_id: 1 }), { op: 64 }, { op: 67 }, named('NO_SUCH')])(
    'before Identify %j ends the connection',
    async (payload) => {
      const client = await GatewayClient.connect(service);
      client.send(payload);
      expect(await client.closed()).toEqual([4003, 'Not authenticated']);
      expect(served).toEqual([]);
    },
  );

  test.each<object>([
    named('NO_SUCH'),
    { op: 0 },
    { op: 0, t: null },
    { op: 0, t: 64 },
    { op: 0, t: 1 },
    { op: 0, t: ['NOTES_WATCH'] },
    { op: 63 },
    { op: 68, t: 'NOTES_WATCH', d: { note_id: 1 } },
    { op: 256 },
    { op: -64 },
    { op: 7, t: 'NOTES_WATCH' },
  ])('%j is an unknown command', async (payload) => {
    const client = await identify(alice.authorization);
    client.send(payload);
    expect(await client.closed()).toEqual([4001, 'Unknown opcode']);
    expect(served).toEqual([]);
  });

  test('a name next to an opcode of an extension is ignored', async () => {
    const client = await identify(alice.authorization);
    client.send({ op: 64, t: 'NOTES_WATCH', d: { note_id: 1 } });
    await client.event('NOTES_COUNT');
    expect(served).toEqual(['count']);
  });

  test('responses and errors are not stored for replay', async () => {
    const more = { ignored_events: ['SESSIONS_REPLACE'] };
    const { client, ready } = await GatewayClient.identify(service, alice.authorization, more);
    client.send(named('NOTES_WATCH', { note_id: 1 }));
    await client.event('NOTES_WATCHED');
    expect(await refusal(client, { op: 66 })).toMatchObject({ code: 'ACCESS_DENIED' });
    await client.terminate();
    const again = await GatewayClient.connect(service);
    again.resume(alice.authorization, ready.session_id, 1);
    expect(await again.next()).toEqual({ op: 0, t: 'RESUMED', s: 3, d: {} });
    again.send({ op: 64 });
    expect(await again.event('NOTES_COUNT')).toMatchObject({ s: 4 });
  });

  test('messages wait for a command, and are handled in order', async () => {
    const client = await identify(alice.authorization);
    client.send(named('NOTES_SLOW'));
    client.send({ op: 64 });
    client.send({ op: 1, d: null });
    while (served.length === 0) await client.drain();
    expect(served).toEqual(['slow']);
    release();
    const { received } = client;
    await client.op(11);
    const order = received.flatMap(({ op, t }) => (op === 11 || t?.startsWith('NOTES') ? (t ?? op) : []));
    expect(order).toEqual(['NOTES_SLOW_DONE', 'NOTES_COUNT', 11]);
  });
});

describe('gateway 4: who may send a command', () => {
  test('the policy rejects with the code of a route, and the connection stays open', async () => {
    const user = await identify(alice.authorization);
    const denied = { code: 'ACCESS_DENIED', message: expect.stringMatching(/./) };
    expect(await refusal(user, { op: 65 })).toEqual({ op: 65, ...denied });
    const bot = await identify(robot);
    const payload = named('NOTES_WATCH', { note_id: 1 });
    expect(await refusal(bot, payload)).toEqual({ op: 0, t: 'NOTES_WATCH', ...denied });
    expect(served).toEqual([]);
  });

  test('the caller is checked before the payload', async () => {
    const bot = await identify(robot);
    expect(await refusal(bot, named('NOTES_WATCH', 'bad'))).toMatchObject({ code: 'ACCESS_DENIED' });
  });

  test('errors are sent even if a session ignores them', async () => {
    const client = await identify(alice.authorization, { ignored_events: ['REFUSED'], shard: [1, 2] });
    expect(await refusal(client, { op: 65 })).toMatchObject({ code: 'ACCESS_DENIED' });
  });

  test('a suspicious account is rejected unless the command allows it', async () => {
    const { bot } = await createCredentialSet(service, { suspicious: 1 });
    const client = await identify(bot.slice('Bot '.length));
    expect(await refusal(client, { op: 66 })).toMatchObject({ op: 66, code: 'ACCOUNT_SUSPICIOUS_ACTIVITY' });
    client.send({ op: 65 });
    await client.event('NOTES_ROBOT');
    expect(served).toEqual(['bot']);
  });

  test('changes since Identify are applied', async () => {
    const { accountId, session } = await createCredentialSet(service);
    const client = await identify(session);
    client.send({ op: 64 });
    await client.event('NOTES_COUNT');
    await service.sql('UPDATE account SET suspicious_flags = 1 WHERE id = $1', [accountId]);
    expect(await refusal(client, { op: 64 })).toMatchObject({ code: 'ACCOUNT_SUSPICIOUS_ACTIVITY' });
    await service.sql('UPDATE session SET revoked_at = now() WHERE account_id = $1', [accountId]);
    client.send({ op: 64 });
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
    expect(served).toEqual(['count']);
  });

  const sessionIdsOf = async (accountId: string) =>
    (await service.sql('SELECT id FROM session WHERE account_id = $1', [accountId])).map(({ id }) => String(id));

  test('a credential that is revoked during its lookup is rejected', async () => {
    const { accountId, session } = await createCredentialSet(service);
    const sessions = await sessionIdsOf(accountId);
    const client = await identify(session);
    const letGo = await blockLookups(service);
    client.send({ op: 64 });
    await client.drain();
    service.app.get(LiveSessions).revoke({ sessions });
    await letGo();
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
    await identify(alice.authorization);
    expect(served).toEqual([]);
  });

  test('after a revocation nothing is sent, even if a handler is still running', async () => {
    const { accountId, session } = await createCredentialSet(service);
    const sessions = await sessionIdsOf(accountId);
    const client = await identify(session);
    client.send(named('NOTES_SLOW'));
    while (served.length === 0) await client.drain();
    service.app.get(LiveSessions).revoke({ sessions });
    expect(await client.closed()).toEqual([4004, 'Invalid token']);
    release();
    await identify(alice.authorization);
    expect(client.received.map(({ t }) => t)).not.toContain('NOTES_SLOW_DONE');
  });

  test('an unavailable database rejects the command', async () => {
    const client = await identify(alice.authorization);
    for (const [error, code] of [
      [Object.assign(new Error('cut'), { code: '08006' }), 'SERVICE_UNAVAILABLE'],
      [new Error('something else'), 'INTERNAL_SERVER_ERROR'],
    ] as const) {
      const endFailures = failNextStatement(service, 'identity-held-session', error);
      expect(await refusal(client, { op: 64 })).toMatchObject({ op: 64, code });
      endFailures();
    }
    expect(served).toEqual([]);
  });
});

describe('gateway 4: payloads of commands', () => {
  const nested = (depth: number): object => (depth === 0 ? {} : { more: nested(depth - 1) });

  test.each<unknown>([
    undefined,
    null,
    {},
    [],
    'text',
    12,
    { note_id: 'x' },
    { note_id: 1, label: 'longer' },
    { note_id: 1, label: 'a\u0000' },
    { note_id: 1, more: nested(40) },
    { note_id: 1, more: JSON.parse('{"__proto__": {}}') },
    [{ note_id: 1 }],
  ])('%j is rejected before the handler', async (d) => {
    const client = await identify(alice.authorization);
    const reported = await refusal(client, named('NOTES_WATCH', d));
    expect(reported).toEqual({
      ...{ op: 0, t: 'NOTES_WATCH' },
      ...{ code: 'INVALID_FORM_BODY', message: 'The request has invalid members. See `errors`.' },
    });
    expect(served).toEqual([]);
  });

  test('a handler without an input class receives no payload', async () => {
    const client = await identify(alice.authorization);
    client.send({ op: 67, d: { secret: 1 } });
    await client.sendHeartbeat();
    expect(served).toEqual([{ isClosed: false, payload: undefined }]);
  });
});

describe('gateway 4: errors of handlers and hooks', () => {
  test('an ApiError is sent with its code', async () => {
    const client = await identify(alice.authorization);
    expect(await refusal(client, named('NOTES_GONE'))).toEqual({
      ...{ op: 0, t: 'NOTES_GONE' },
      ...{ code: 'NOTES_GONE', message: 'There is no note.' },
    });
  });

  test.each(['NOTES_BROKEN', 'NOTES_WORDS'])(
    '%s: an unexpected error is sent without its message and without the payload',
    async (t) => {
      const client = await identify(alice.authorization);
      expect(await refusal(client, named(t, { note_id: 77_777_777 }))).toEqual({
        ...{ op: 0, t },
        ...{ code: 'INTERNAL_SERVER_ERROR', message: 'Internal error. Include the request ID in support requests.' },
      });
      expect(service.log.join('')).toContain('gateway command failed');
      expect(service.log.join('')).not.toContain('77777777');
    },
  );

  test('errors of hooks are logged, and end neither the process nor the connection', async () => {
    const client = await identify(alice.authorization);
    await client.sendHeartbeat();
    await client.terminate();
    expect(ended).toHaveLength(1);
    expect(ended[0]).toMatchObject({ isClosed: true, session: null });
    expect(service.log.join('')).toContain('a hook that throws');
    expect(service.log.join('')).toContain('a hook that rejects');
  });
});

test('gateway 4: a bucket counts per caller, over all connections', async () => {
  await withGatehouse({ env: { RATE_LIMITS: 'on' }, features: [notes], modules: [NotesModule] }, async (limited) => {
    const [{ session }, other] = [await createCredentialSet(limited), await createCredentialSet(limited)];
    const [first, second] = [
      await GatewayClient.identify(limited, session),
      await GatewayClient.identify(limited, session),
    ];
    const stranger = await GatewayClient.identify(limited, other.session);
    for (const { client } of [first, second]) {
      client.send({ op: 64 });
      await client.event('NOTES_COUNT');
    }
    for (const { client } of [first, second]) {
      const reported = await refusal(client, { op: 64 });
      expect(reported).toEqual({ op: 64, code: 'RATE_LIMITED', message: 'Too many requests.' });
    }
    stranger.client.send({ op: 64 });
    await stranger.client.event('NOTES_COUNT');
    expect(served).toEqual(['count', 'count', 'count']);
    first.client.send(named('NOTES_WATCH', { note_id: 1 }));
    await first.client.event('NOTES_WATCHED');
  });
});
