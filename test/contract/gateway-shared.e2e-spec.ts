import { once } from 'node:events';
import { WebSocket } from 'ws';
import { migratedDatabase } from '../machine/databases.js';
import { describeWithSharedStore, redisDatabase } from '../machine/redis.js';
import { endProcesses, ServiceProcess } from '../machine/service-process.js';
import type { Payload } from '../support/gateway-client.js';
import { person } from '../support/index.js';

const REDIS_URL = redisDatabase(11);

/** A socket to a service process, with all messages that it has received. */
class Socket {
  readonly received: Payload[] = [];
  readonly closed: Promise<unknown>;
  private read = 0;

  constructor(
    { url }: ServiceProcess,
    private readonly socket = new WebSocket(`${url.replace('http', 'ws')}/gateway`),
  ) {
    this.closed = once(socket, 'close');
    socket.on('message', (data) => this.received.push(JSON.parse(String(data))));
  }

  /** Returns the next message that matches and skips the messages before it. */
  async next(isIt: (message: Payload) => boolean): Promise<Payload> {
    for (;;) {
      const message = this.received[this.read];
      if (!message)
        await Promise.race([once(this.socket, 'message'), this.closed.then(() => Promise.reject('closed'))]);
      else if (++this.read && isIt(message)) return message;
    }
  }

  event(type: string): Promise<Payload> {
    return this.next(({ t }) => t === type);
  }

  async say(op: number, d: object): Promise<void> {
    await this.next((message) => message.op === 10);
    this.socket.send(JSON.stringify({ op, d }));
  }

  close(): void {
    this.socket.terminate();
  }
}

describeWithSharedStore('gateway 13: processes that share a store', () => {
  afterAll(endProcesses);

  test('a session continues on another process after its own was killed, and misses nothing', async () => {
    const env = { ...(await migratedDatabase()), REDIS_URL };
    const [holder, other] = await Promise.all([ServiceProcess.ready(env), ServiceProcess.ready(env)]);
    const who = await person(holder);
    const token = who.authorization;
    const bio = (text: string, at: ServiceProcess) => at.as(who).patch('/v1/users/@me', { bio: text });

    const before = new Socket(holder);
    await before.say(2, { token });
    const { session_id } = (await before.event('READY')).d;
    await before.event('SESSIONS_REPLACE');
    await bio('seen', other);
    const { s: seq = 0 } = await before.event('USER_UPDATE');
    await bio('sent to a socket that dies', holder);
    await holder.stop('SIGKILL');
    await before.closed;
    await bio('sent to nobody', other);

    const after = new Socket(other);
    await after.say(6, { token, session_id, seq });
    const first = await after.event('USER_UPDATE');
    const second = await after.event('USER_UPDATE');
    expect([first.s, second.s, second.d.bio]).toEqual([seq + 1, seq + 2, 'sent to nobody']);
    expect((await after.event('RESUMED')).s).toBe(seq + 2);
    await bio('live', other);
    expect(await after.event('USER_UPDATE')).toMatchObject({ s: seq + 3, d: { bio: 'live' } });

    expect(await other.stop()).toBe(0);
    await after.closed;
    const restarted = await ServiceProcess.ready(env);
    const last = new Socket(restarted);
    await last.say(6, { token, session_id, seq: seq + 3 });
    expect((await last.event('RESUMED')).s).toBe(seq + 3);
    expect(last.received.some(({ t }) => t === 'USER_UPDATE')).toBe(false);
    last.close();
  });
});
