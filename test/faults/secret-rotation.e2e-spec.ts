import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { query } from '../machine/databases.js';
import { describeWithSharedStore, emptyRedis, redisDatabase } from '../machine/redis.js';
import { solveCaptcha } from '../support/captcha.js';
import { copyTemplate, type Gatehouse, gatehouse, person, sudoProof, withTotp } from '../support/index.js';

const REDIS_URL = redisDatabase(1);
const [old, fresh] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];

/** The settings of a replica before the rotation, after each of its two phases, and after its end. */
const BEFORE = { GATEHOUSE_SECRET: old };
const ACCEPTS = { GATEHOUSE_SECRET: old, GATEHOUSE_SECRET_NEXT: fresh };
const USES = { GATEHOUSE_SECRET: fresh, GATEHOUSE_SECRET_PREVIOUS: old };
const AFTER = { GATEHOUSE_SECRET: fresh };

describeWithSharedStore('docs/guides/operators/key-rotation.md: a rotation in two phases', () => {
  let url: string;
  const running = new Map<object, Gatehouse>();

  beforeAll(async () => {
    url = (await copyTemplate()) ?? '';
    await emptyRedis(REDIS_URL);
  });
  afterAll(async () => {
    for (const service of running.values()) await service.close();
  });

  async function replica(secrets: Record<string, string>, name: string, more: Record<string, string> = {}) {
    const service =
      running.get(secrets) ?? (await gatehouse({ env: { ...secrets, ...more, DATABASE_URL: url, REDIS_URL } }));
    running.set(secrets, service);
    return Object.assign(service, { name });
  }

  test.each([
    ['in phase 1', BEFORE, ACCEPTS],
    ['in phase 2', ACCEPTS, USES],
    ['at the end', USES, AFTER],
  ])('%s, two replicas accept everything of each other', async (_, first, second) => {
    const { cross } = await import(join(import.meta.dirname, '../../scripts/rolling/crossings.mjs'));
    const [one, other] = [await replica(first, 'one'), await replica(second, 'other')];
    const root = await person(one, 'root');
    await query(url, `UPDATE account SET acls = '{*}' WHERE id = ${root.id}`);
    const { count, faults } = await cross(one, other, { token: root.authorization });
    expect(faults).toEqual([]);
    expect(count).toBeGreaterThan(20);
    await one.close();
    running.delete(first);
  });

  test('in phase 2, captchas, codes and sudo proofs of either replica work on the other', async () => {
    const more = { CAPTCHA_PROVIDER: 'altcha' };
    const [one, other] = [await replica({ ...ACCEPTS }, 'one', more), await replica({ ...USES }, 'other', more)];
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const headers = { 'x-captcha-token': await solveCaptcha(from) };
      const email = `${randomBytes(6).toString('hex')}@example.com`;
      const password = randomBytes(12).toString('hex');
      const account = { email, password, username: 'alice' };
      const { status, body } = await to.anonymous.with(headers).post('/v1/auth/register', account);
      expect(status).toBe(200);
      const alice = { ...account, id: body.user_id, authorization: body.token };
      const { authenticator } = await withTotp(from, alice);
      const proof = await sudoProof(from, alice, authenticator);
      // The authenticator has moved the clock of the other replica by one step.
      to.clock.advance({ seconds: 30 });
      const logout = to.as(alice).sudo(proof).post('/v1/auth/sessions/logout', { session_id_hashes: [] });
      expect((await logout).status).toBe(204);
    }
  });
});
