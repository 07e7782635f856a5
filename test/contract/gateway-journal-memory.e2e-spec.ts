import { once } from 'node:events';
import pg from 'pg';
import { WebSocket } from 'ws';
import { migratedDatabase, query } from '../machine/databases.js';
import { describeOnPostgres } from '../machine/postgres.js';
import { describeWithSharedStore, emptyRedis, redisDatabase } from '../machine/redis.js';
import { endProcesses, identify, ServiceProcess } from '../machine/service-process.js';
import { type Persona, person } from '../support/index.js';

const EVENTS = 60_000;
const BYTES_PER_EVENT = 2000;
const MIB = 1024 * 1024;
/** The client of the test may be slower than the service, so unsent bytes, which are outside the heap, are not limited. */
const NUMBERS = { unsent_bytes: 512 * MIB, unsent_bytes_per_account: 512 * MIB, unsent_bytes_per_process: 512 * MIB };
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=256', GATEWAY_NUMBERS: JSON.stringify(NUMBERS) };
const REDIS_URL = redisDatabase(2);

afterAll(endProcesses);

/** Writes events of an account in one transaction, as one commit after which every replica is far behind. */
async function announce(url: string, { id }: Persona, count: number): Promise<void> {
  await query(
    url,
    `WITH taken AS (
       INSERT INTO account_event AS a (account_id, number) VALUES ($1, $2)
       ON CONFLICT (account_id) DO UPDATE SET number = a.number + $2 RETURNING number)
     INSERT INTO journal (account_id, number, topic, data)
     SELECT $1, number - $2 + n, 'event', json_build_object('type', 'WEBHOOKS_UPDATE', 'account_id', $1::bigint::text,
       'd', json_build_object('webhook_id', rpad(n::text || ' ', $3, 'x'), 'action', 'update'))
     FROM taken, generate_series(1, $2::int) n ORDER BY n`,
    [id, count, BYTES_PER_EVENT],
  );
}

/** Writes an event whose data the replicas read from the table of settings. */
const announceSettings = (url: string, { id }: Persona) =>
  query(
    url,
    `WITH taken AS (
       INSERT INTO account_event AS a (account_id, number) VALUES ($1, 1)
       ON CONFLICT (account_id) DO UPDATE SET number = a.number + 1 RETURNING number)
     INSERT INTO journal (account_id, number, topic, data)
     SELECT $1, number, 'event', json_build_object('type', 'USER_SETTINGS_UPDATE', 'account_id', $1::bigint::text) FROM taken`,
    [id],
  );

const HEARTBEAT_INTERVAL_MS = 10_000;

/**
 * Reads dispatches of a socket until `count` events have come, and sends heartbeats. Returns the position of each event,
 * in order.
 */
function positionsOf(socket: WebSocket, count: number): Promise<number[]> {
  const positions: number[] = [];
  const heartbeats = setInterval(() => socket.send(JSON.stringify({ op: 1, d: null })), HEARTBEAT_INTERVAL_MS);
  const received = new Promise<number[]>((resolve, reject) => {
    socket.on('close', (code, reason) =>
      reject(new Error(`closed: ${code} ${reason} after ${positions.length} events`)),
    );
    socket.on('message', (data) => {
      const { t, d } = JSON.parse(String(data));
      if (t === 'WEBHOOKS_UPDATE') positions.push(Number.parseInt(d.webhook_id, 10));
      if (positions.length === count) resolve(positions);
    });
  });
  return received.finally(() => clearInterval(heartbeats));
}

/** Opens a socket on which a session can be resumed. */
async function resumable(service: ServiceProcess, token: string, session_id: string, seq: number) {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/gateway`);
  await once(socket, 'message');
  return { socket, resume: () => socket.send(JSON.stringify({ op: 6, d: { token, session_id, seq } })) };
}

/** Counts requests of a user that are served while `work` is running. */
async function servedDuring<T>(service: ServiceProcess, who: Persona, work: Promise<T>): Promise<[T, number]> {
  let served = 0;
  let isOver = false;
  const settled = work.finally(() => {
    isOver = true;
  });
  settled.catch(() => {});
  while (!isOver) {
    await service.as(who).get('/v1/users/@me').expect(200);
    served++;
  }
  return [await settled, served];
}

const inOrder = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

describeOnPostgres('gateway 11: 60,000 events at a time and a heap of 256 MiB', () => {
  test('reach a session once and in order after a period without reads; other sessions do not wait', async () => {
    const { DATABASE_URL = '' } = await migratedDatabase();
    const service = await ServiceProcess.ready({ DATABASE_URL, ...SMALL_HEAP });
    const [who, other] = [await person(service, 'who'), await person(service, 'other')];
    const [{ socket }, { socket: otherSocket }] = [
      await identify(service, who.authorization),
      await identify(service, other.authorization),
    ];
    const received = positionsOf(socket, EVENTS);
    received.catch(() => {});
    const locked = new pg.Client({ connectionString: DATABASE_URL });
    await locked.connect();
    try {
      await locked.query('BEGIN; LOCK TABLE account_settings');
      await announceSettings(DATABASE_URL, who);
      await announce(DATABASE_URL, who, EVENTS);
      const otherReceived = positionsOf(otherSocket, 1);
      await announce(DATABASE_URL, other, 1);
      // The journal is read in order, so all events of the first account have been read before this one.
      expect((await servedDuring(service, other, otherReceived))[0]).toEqual([1]);
    } finally {
      await locked.end();
    }
    const [positions, served] = await servedDuring(service, other, received);
    expect(positions).toEqual(inOrder(EVENTS));
    expect(served).toBeGreaterThan(10);
    expect(service.child.exitCode).toBeNull();
  });
});

describeWithSharedStore('gateway 13: a session that missed events on a replica that ended', () => {
  beforeAll(() => emptyRedis(REDIS_URL));

  /** A session whose replica ended, and another replica that can take it over. */
  async function leftBehind() {
    const { DATABASE_URL = '' } = await migratedDatabase();
    const env = { DATABASE_URL, REDIS_URL, ...SMALL_HEAP };
    const [first, second] = [await ServiceProcess.ready(env), await ServiceProcess.ready(env)];
    const [who, other] = [await person(first, 'who'), await person(first, 'other')];
    const { socket, sessionId, seq } = await identify(first, who.authorization);
    socket.close();
    await first.stop();
    return { DATABASE_URL, second, who, other, sessionId, seq };
  }

  test('gets 3,000 missed events of several pages in order', async () => {
    const { DATABASE_URL, second, who, sessionId, seq } = await leftBehind();
    await announce(DATABASE_URL, who, 3000);
    const { socket, resume } = await resumable(second, who.authorization, sessionId, seq);
    const received = positionsOf(socket, 3000);
    resume();
    expect(await received).toEqual(inOrder(3000));
    await announce(DATABASE_URL, who, 1);
    expect(await positionsOf(socket, 1)).toEqual([1]);
  });

  test('gets op 9 after 60,000 missed events, and the replica serves others', async () => {
    const { DATABASE_URL, second, who, other, sessionId, seq } = await leftBehind();
    await announce(DATABASE_URL, who, EVENTS);
    const { socket, resume } = await resumable(second, who.authorization, sessionId, seq);
    resume();
    const [[response]] = await servedDuring(second, other, once(socket, 'message'));
    expect(JSON.parse(String(response))).toMatchObject({ op: 9, d: false });
    expect(second.child.exitCode).toBeNull();
  });
});
