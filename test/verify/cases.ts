import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { FakeGatehouse } from './fake-gatehouse.js';
import { MAX_KEPT, type Subject, TIMEOUT_MS } from './subject.js';

/** A case of forward-auth.md section 4, which all implementations have to pass. */
export interface Case {
  readonly title: string;
  run(fake: FakeGatehouse, subject: Subject): Promise<void>;
}

const READ = 'documents-read';
const LOST_MS = 800;
const as = (authorization: string) => ({ authorization });

async function until(isSo: () => boolean | Promise<boolean>, limit = 5000): Promise<void> {
  const end = performance.now() + limit;
  while (!(await isSo())) {
    assert.ok(performance.now() < end, 'the condition did not become true in time');
    await pause(10);
  }
}

/** Waits until the service reads the stream. */
async function live(fake: FakeGatehouse, subject: Subject): Promise<void> {
  await subject.get(READ, as('first'));
  await until(async () => (await subject.metrics()).lag_seconds !== null);
  fake.asked.length = 0;
}

async function admitted(subject: Subject, authorization: string): Promise<void> {
  const { status } = await subject.get(READ, as(authorization));
  assert.equal(status, 200);
}

/** Waits until the service has received this number of revoked tags. */
const reported = (subject: Subject, count: number): Promise<void> =>
  until(async () => (await subject.metrics()).revocations === count);

/** Waits until the service has noticed that the stream is lost. */
const lost = (subject: Subject): Promise<void> => until(async () => (await subject.metrics()).lag_seconds === null);

/** Asserts how many of the requests Gatehouse was asked for. */
const asks = (fake: FakeGatehouse, count: number): void => {
  assert.equal(fake.asked.length, count, JSON.stringify(fake.asked));
};

const REJECTION = { admitted: false, tags: [], expires_in: 0 };
const reject = (fake: FakeGatehouse): void => {
  fake.respond = () => ({ ...REJECTION, status: 401, headers: {}, body: '{"code":"UNAUTHORIZED"}' });
};

async function unavailable(subject: Subject, authorization: string): Promise<void> {
  const { status, headers, body } = await subject.get(READ, as(authorization));
  assert.equal(status, 503);
  assert.equal(JSON.parse(body).code, 'SERVICE_UNAVAILABLE');
  assert.equal(headers['cache-control'], 'no-store');
  assert.match(String(headers['retry-after']), /^\d+$/);
}

export const CASES: readonly Case[] = [
  {
    title: 'an admission returns the identity and is kept',
    async run(fake, subject) {
      await live(fake, subject);
      const identity = {
        kind: 'bearer',
        account_id: '9',
        username: 'ada#1',
        application_id: '3',
        scopes: ['identify'],
      };
      fake.respond = () => fake.admission({ identity });
      for (let count = 0; count < 3; count++) {
        const headers = { authorization: 'Bearer a', 'x-test-address': '192.0.2.1' };
        const { status, body } = await subject.get(READ, headers);
        assert.equal(status, 200);
        assert.deepEqual(JSON.parse(body), identity);
      }
      asks(fake, 1);
      assert.deepEqual(fake.asked, [{ policy: READ, authorization: 'Bearer a', address: '192.0.2.1' }]);
      assert.equal((await subject.metrics()).hits, 2);
    },
  },
  {
    title: 'an error response is sent unchanged and is never kept',
    async run(fake, subject) {
      await live(fake, subject);
      const rejections = [
        { status: 401, headers: { 'content-type': 'application/json; charset=utf-8', 'www-authenticate': 'Bearer' } },
        { status: 403, headers: { 'content-type': 'application/json', 'x-request-id': 'a' } },
        { status: 429, headers: { 'content-type': 'application/json', 'retry-after': '3', 'x-limit': ['1', '2'] } },
      ];
      const body = '{"code":"X", "message":"Übergröße"}';
      for (const rejection of rejections) {
        fake.respond = () => ({ ...REJECTION, ...rejection, body, expires_in: 300, tags: ['application'] });
        fake.asked.length = 0;
        for (let count = 0; count < 2; count++) {
          const response = await subject.get(READ, as('a'));
          assert.equal(response.status, rejection.status);
          assert.equal(response.body, body);
          for (const [name, value] of Object.entries(rejection.headers)) {
            assert.equal(response.headers[name], [value].flat().join(', '));
          }
        }
        asks(fake, 2);
      }
    },
  },
  {
    title: 'policy, credential and IP address are parts of the key, and their lengths too',
    async run(fake, subject) {
      await live(fake, subject);
      const requests: [string, Record<string, string>][] = [
        ['ab', { authorization: 'c' }],
        ['a', { authorization: 'bc' }],
        ['a', { authorization: 'b', 'x-test-address': 'c' }],
        ['a', { authorization: 'b' }],
        ['a', {}],
      ];
      for (const [policy, headers] of requests) await subject.get(policy, headers);
      asks(fake, requests.length);
      for (const [policy, headers] of requests) await subject.get(policy, headers);
      asks(fake, requests.length);
      assert.equal(fake.asked[2]?.address, 'c');
      assert.equal(fake.asked[4]?.authorization, '');
    },
  },
  {
    title: 'several Authorization headers are sent together, so that Gatehouse rejects them',
    async run(fake, subject) {
      await subject.get(READ, { authorization: ['a', 'b'] });
      assert.match(fake.asked[0]?.authorization ?? '', /^a, ?b$/);
    },
  },
  {
    title: 'an admission with a proof of sudo mode is never kept',
    async run(fake, subject) {
      await live(fake, subject);
      for (let count = 0; count < 2; count++) {
        await subject.get(READ, { authorization: 'a', 'x-service-sudo-mode-jwt': 'proof' });
      }
      asks(fake, 2);
      assert.equal(fake.asked[0]?.sudo, 'proof');
    },
  },
  {
    title: 'an admission is kept for at most expires_in',
    async run(fake, subject) {
      await live(fake, subject);
      fake.respond = () => fake.admission({ expires_in: 0.6 });
      await admitted(subject, 'a');
      await admitted(subject, 'a');
      asks(fake, 1);
      await pause(700);
      await admitted(subject, 'a');
      asks(fake, 2);
      fake.respond = () => fake.admission({ expires_in: 0 });
      await admitted(subject, 'b');
      await admitted(subject, 'b');
      asks(fake, 4);
    },
  },
  {
    title: 'the number of kept admissions is limited, and the least recently used one is evicted',
    async run(fake, subject) {
      await live(fake, subject);
      for (let count = 0; count < MAX_KEPT; count++) await admitted(subject, `a${count}`);
      await admitted(subject, 'a0');
      await admitted(subject, 'one more');
      asks(fake, MAX_KEPT + 1);
      assert.equal((await subject.metrics()).kept, MAX_KEPT);
      await admitted(subject, 'a0');
      asks(fake, MAX_KEPT + 1);
      await admitted(subject, 'a1');
      asks(fake, MAX_KEPT + 2);
    },
  },
  {
    title: 'a revoked tag ends its admissions and no others',
    async run(fake, subject) {
      await live(fake, subject);
      await admitted(subject, 'a');
      await admitted(subject, 'b');
      reject(fake);
      fake.revoke('other', 'a');
      await reported(subject, 2);
      assert.equal((await subject.get(READ, as('a'))).status, 401);
      await admitted(subject, 'b');
      asks(fake, 3);
    },
  },
  {
    title: 'an admission after the revocation of its tag is kept',
    async run(fake, subject) {
      await live(fake, subject);
      fake.revoke('a');
      await reported(subject, 1);
      await admitted(subject, 'a');
      await admitted(subject, 'a');
      asks(fake, 1);
    },
  },
  {
    title: 'a decision in flight while its tag is revoked is dropped',
    async run(fake, subject) {
      await live(fake, subject);
      let release = (_: unknown) => {};
      const arrived = new Promise<void>((resolve) => {
        fake.respond = ({ authorization }) => {
          const early = fake.admission({ tags: [authorization] });
          resolve();
          return new Promise((send) => {
            release = () => send(early);
          });
        };
      });
      const response = subject.get(READ, as('a'));
      await arrived;
      reject(fake);
      // Gatehouse announces a revocation immediately, even if an earlier transaction is open and the mark does not advance.
      fake.write(`event: revoked\nid: ${fake.mark}\ndata: {"tags":["a"]}\n\n`);
      await reported(subject, 1);
      release(undefined);
      await response;
      assert.equal((await subject.get(READ, as('a'))).status, 401);
    },
  },
  {
    title: 'a decision whose as_of is before the revocation of its tag is dropped',
    async run(fake, subject) {
      await live(fake, subject);
      const early = fake.admission({ tags: ['a'] });
      fake.revoke('a');
      await reported(subject, 1);
      fake.respond = () => early;
      await subject.get(READ, as('a'));
      reject(fake);
      assert.equal((await subject.get(READ, as('a'))).status, 401);
    },
  },
  {
    title: 'a decision from before the stream began, or from another journal, is not kept',
    async run(fake, subject) {
      await live(fake, subject);
      for (const as_of of [fake.markOf(99), fake.markOf(100, 'ff'), undefined, 'nothing']) {
        fake.respond = () => fake.admission({ as_of });
        await admitted(subject, 'a');
      }
      fake.respond = () => fake.admission();
      fake.asked.length = 0;
      await admitted(subject, 'a');
      asks(fake, 1);
    },
  },
  {
    title: 'without heartbeats nothing is kept',
    async run(fake, subject) {
      fake.isBeating = false;
      for (let count = 0; count < 3; count++) await admitted(subject, 'a');
      fake.revoke('b');
      await pause(50);
      await admitted(subject, 'a');
      asks(fake, 4);
      assert.equal((await subject.metrics()).lag_seconds, null);
    },
  },
  {
    title: 'if the heartbeats stop, nothing kept is used after 800 ms, until they are back',
    async run(fake, subject) {
      await live(fake, subject);
      await admitted(subject, 'a');
      fake.isBeating = false;
      await pause(LOST_MS + 50);
      for (let count = 0; count < 3; count++) await admitted(subject, 'a');
      asks(fake, 4);
      fake.isBeating = true;
      await until(async () => (await subject.metrics()).lag_seconds !== null);
      await admitted(subject, 'a');
      asks(fake, 4);
      assert.equal((await subject.metrics()).stream_losses, 1);
    },
  },
  {
    title: 'a connection that ends without a word is a lost stream',
    async run(fake, subject) {
      await live(fake, subject);
      await admitted(subject, 'a');
      fake.acceptsStreams = false;
      fake.cutStreams();
      await lost(subject);
      await admitted(subject, 'a');
      asks(fake, 2);
    },
  },
  {
    title: 'a new connection continues at the last mark and gets the revocations in between',
    async run(fake, subject) {
      await live(fake, subject);
      await admitted(subject, 'a');
      await admitted(subject, 'b');
      const last = fake.mark;
      fake.acceptsStreams = false;
      fake.cutStreams();
      reject(fake);
      fake.revoke('a');
      await lost(subject);
      fake.acceptsStreams = true;
      await until(async () => (await subject.metrics()).lag_seconds !== null);
      assert.equal(fake.resumed.at(-1), last);
      assert.equal((await subject.get(READ, as('a'))).status, 401);
      await admitted(subject, 'b');
    },
  },
  {
    title: 'nothing outlives a reset',
    async run(fake, subject) {
      await live(fake, subject);
      await admitted(subject, 'a');
      reject(fake);
      fake.reset();
      await until(async () => (await subject.metrics()).kept === 0);
      assert.equal((await subject.get(READ, as('a'))).status, 401);
      fake.respond = () => fake.admission();
      await admitted(subject, 'b');
      await admitted(subject, 'b');
      asks(fake, 3);
    },
  },
  {
    title: 'a decision in flight during a reset is not kept',
    async run(fake, subject) {
      await live(fake, subject);
      fake.respond = async () => {
        const early = fake.admission();
        fake.reset();
        await pause(100);
        return early;
      };
      await subject.get(READ, as('a'));
      reject(fake);
      assert.equal((await subject.get(READ, as('a'))).status, 401);
    },
  },
  {
    title: 'if Gatehouse is gone, the result is 503 and never a kept admission',
    async run(fake, subject) {
      await live(fake, subject);
      await admitted(subject, 'a');
      await fake.stop();
      await pause(LOST_MS + 50);
      await unavailable(subject, 'a');
      await unavailable(subject, 'b');
      await fake.listen();
      await admitted(subject, 'b');
      assert.equal((await subject.metrics()).failures, 2);
    },
  },
  {
    title: 'if Gatehouse does not respond in time, the result is 503',
    async run(fake, subject) {
      fake.respond = () => new Promise(() => {});
      const began = performance.now();
      await unavailable(subject, 'a');
      const took = performance.now() - began;
      assert.ok(took >= TIMEOUT_MS - 50 && took < TIMEOUT_MS + 1500, `${took} ms`);
    },
  },
  {
    title: 'a response that is no decision is 503',
    async run(fake, subject) {
      await live(fake, subject);
      const no = [404, 401, 429, 500, 'text', null, {}, { admitted: true, tags: [] }, { admitted: 'yes', tags: [] }];
      for (const response of no) {
        fake.respond = () => response;
        await unavailable(subject, 'a');
      }
      fake.respond = () => 429;
      assert.equal((await subject.get(READ, as('a'))).headers['retry-after'], '7');
    },
  },
  {
    title: 'a service that was paused does not use what was revoked in the meantime',
    async run(fake, subject) {
      await live(fake, subject);
      await admitted(subject, 'a');
      reject(fake);
      await subject.freeze();
      await pause(50);
      const responses = Array.from({ length: 8 }, () => subject.get(READ, as('a')));
      fake.revoke('a');
      await pause(1200);
      subject.thaw();
      for (const { status } of await Promise.all(responses)) assert.equal(status, 401);
      assert.equal((await subject.get(READ, as('a'))).status, 401);
    },
  },
  {
    title: 'a heartbeat that is read late does not count from the moment at which it is read',
    async run(fake, subject) {
      await live(fake, subject);
      await pause(600);
      await admitted(subject, 'a');
      fake.isBeating = false;
      fake.write('event: alive\n\n');
      await pause(50);
      const frozen = performance.now();
      await subject.freeze();
      fake.write('event: alive\n\n');
      await pause(600);
      subject.thaw();
      await pause(50);
      const requested = performance.now();
      const { lag_seconds: lag } = await subject.metrics();
      // The heartbeat before the pause was sent before it, and the one of the pause counts from at most 350 ms later.
      assert.ok(lag == null || lag * 1000 >= requested - frozen - 350, `${lag} s after a pause`);
      await pause(600);
      fake.asked.length = 0;
      await admitted(subject, 'a');
      asks(fake, 1);
    },
  },
  {
    title: 'events may be split, and may have comments, other names and other line ends',
    async run(fake, subject) {
      await live(fake, subject);
      for (const name of ['a', 'b', 'c', 'd']) await admitted(subject, name);
      const parts = [
        'event: rev',
        'oked\r',
        '\ndata: {"tags"',
        ':\r\ndata: ["a"]}\r\n\r\n',
        ': a comment\n\nevent: new\n',
      ];
      for (const part of [
        ...parts,
        'data: x\n\n',
        'event:revoked\ndata:{"tags":["b"]}\n\nevent: revoked\ndata: {"tags":["c"]}\n\n',
      ]) {
        fake.write(part);
        await pause(20);
      }
      await pause(80);
      fake.asked.length = 0;
      for (const name of ['a', 'b', 'c', 'd']) await admitted(subject, name);
      asks(fake, 3);
    },
  },
  {
    title: 'an unreadable revocation ends the connection',
    async run(fake, subject) {
      await live(fake, subject);
      await admitted(subject, 'a');
      fake.acceptsStreams = false;
      fake.write('event: revoked\ndata: {"tags"\n\n');
      await lost(subject);
      await admitted(subject, 'a');
      asks(fake, 2);
    },
  },
];
