import { createHash } from 'node:crypto';
import type { StoredEpochs } from '../../src/accounts/account-snapshot.js';
import { OneTimeSecrets, type Purpose } from '../../src/auth/secrets/one-time-secrets.service.js';
import type { OwnedPurpose } from '../../src/auth/secrets/purposes.js';
import { TOKEN } from '../../src/core/secrets.js';
import { featureRegistry } from '../../src/features.js';
import { Database, type Tx } from '../../src/platform/database/database.js';
import type { Account } from '../../src/policy/account.js';
import { defineFeature } from '../../src/policy/feature.js';
import { runCleanup } from '../support/cleanup.js';
import { createCredentialSet, type Gatehouse, gatehouse } from '../support/index.js';

const notes = defineFeature('notes', { secrets: { 'notes-invite': 'later' } });

declare module '../../src/core/merged.js' {
  interface Features {
    notesOfSecrets: typeof notes;
  }
}

/** Purposes by the binding of their secrets. The binding determines which changes invalidate a secret. */
const BOUND = {
  account: [
    ...['mfa-ticket', 'ip-ticket', 'ip-token', 'password-reset', 'email-change', 'bounced-email-change'],
    ...['email-token', 'password-change', 'backup-codes-challenge', 'phone-code'],
    ...['webauthn-mfa', 'webauthn-sudo', 'webauthn-registration', 'identity-link'],
  ],
  later: ['webauthn-bridge', 'bridge-ceremony', 'handoff'],
  address: ['email-verification'],
  owner: ['email-revert'],
  mailbox: ['lockdown'],
  none: ['webauthn-login', 'sso-state', 'connection-state', 'captcha-spent'],
};
const purposesOf = (...bindings: (keyof typeof BOUND)[]) => bindings.flatMap((one) => BOUND[one]) as OwnedPurpose[];
const unboundPurposesOf = (...bindings: (keyof typeof BOUND)[]) =>
  purposesOf(...bindings) as Purpose[] as ['captcha-spent'];

const PURPOSE = 'webauthn-sudo';
const OTHER = 'email-token';
const HOUR = 3600;

let service: Gatehouse;
let secrets: OneTimeSecrets;
beforeAll(async () => {
  service = await gatehouse({ features: [notes] });
  secrets = service.app.get(OneTimeSecrets);
});
afterAll(() => service.close());

async function somebody(): Promise<StoredEpochs> {
  const { accountId } = await createCredentialSet(service);
  await service.sql('UPDATE account SET epoch = 7, address_epoch = 3 WHERE id = $1', [accountId]);
  return { id: accountId, epoch: 7, addressEpoch: 3 };
}

const inTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => service.app.get(Database).transaction(work);
const raise = (column: 'epoch' | 'address_epoch', { id }: StoredEpochs) =>
  service.sql(`UPDATE account SET ${column} = ${column} + 1 WHERE id = $1`, [id]);
const digestOf = (purpose: string, secret: string) => createHash('sha256').update(`${purpose}\0${secret}`).digest();
const rowOf = async (purpose: string, secret: string) =>
  (await service.sql('SELECT * FROM one_time_secret WHERE digest = $1', [digestOf(purpose, secret)]))[0];
const set = (assignment: string, purpose: string, secret: string) =>
  service.sql(`UPDATE one_time_secret SET ${assignment} WHERE digest = $1`, [digestOf(purpose, secret)]);

/** Calls every operation that looks up a secret, without consuming it. Returns the distinct results. */
async function foundBy(purpose: Purpose, secret: string) {
  const ROLLED_BACK = new Error('rolled back');
  let consumed: unknown;
  await inTransaction(async (tx) => {
    consumed = await secrets.consume(purpose, secret, tx);
    throw ROLLED_BACK;
  }).catch((error) => expect(error).toBe(ROLLED_BACK));
  const found = [
    await secrets.peek(purpose, secret),
    consumed,
    await inTransaction((tx) => secrets.lock(purpose, secret, tx)),
    await secrets.chargeAttempt(purpose, secret, 1000),
    await secrets.ageOf(purpose, secret),
    (await secrets.change(purpose, secret, [{}, {}])) || null,
  ].map((value) => value !== null);
  return [...new Set(found)];
}
const expectLive = async (purpose: Purpose, secret: string) => expect(await foundBy(purpose, secret)).toEqual([true]);
const expectVoid = async (purpose: Purpose, secret: string) => expect(await foundBy(purpose, secret)).toEqual([false]);

describe('credentials.md 7: a secret that works once', () => {
  test('is 256 random bits; only their digest, bound to the purpose, is stored', async () => {
    const owner = await somebody();
    const secret = await secrets.issue(PURPOSE, owner, { to: 'here' }, HOUR);
    expect(secret).toMatch(TOKEN);
    const row = await rowOf(PURPOSE, secret);
    expect(row).toEqual({
      digest: digestOf(PURPOSE, secret),
      purpose: PURPOSE,
      subject: owner.id,
      account_id: owner.id,
      epoch: 7,
      address_epoch: 3,
      payload: { to: 'here' },
      created_at: expect.any(Date),
      expires_at: expect.any(Date),
    });
    expect(row?.expires_at - row?.created_at).toBe(HOUR * 1000);
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  test('can be chosen by its issuer, and can have a subject other than the account', async () => {
    const owner = await somebody();
    expect(await secrets.issue(PURPOSE, owner, {}, HOUR, { secret: 'my own', subject: 'a thing' })).toBe('my own');
    const row = await rowOf(PURPOSE, 'my own');
    expect(row).toMatchObject({ subject: 'a thing', account_id: owner.id });
    expect((await secrets.consume(PURPOSE, 'my own'))?.subject).toBe('a thing');
  });

  test('without an account can have any text as its subject', async () => {
    const secret = await secrets.issue('captcha-spent', 'a word', { to: 'x' }, HOUR);
    expect(await rowOf('captcha-spent', secret)).toMatchObject({ subject: 'a word', account_id: null, epoch: null });
    expect(await secrets.peek('captcha-spent', secret)).toMatchObject({ subject: 'a word', seen: null });
    await expectLive('captcha-spent', secret);
  });

  test('is read as it was stored, and reading does not consume it', async () => {
    const owner = await somebody();
    const secret = await secrets.issue(PURPOSE, owner, { to: 'here' }, HOUR);
    const stored = {
      subject: owner.id,
      payload: { to: 'here' },
      createdAt: expect.any(Date),
      expiresAt: expect.any(Date),
      seen: expect.anything(),
    };
    expect(await secrets.peek(PURPOSE, secret)).toEqual(stored);
    expect(await secrets.peek(PURPOSE, secret)).toEqual(stored);
    expect(await inTransaction((tx) => secrets.lock(PURPOSE, secret, tx))).toEqual({
      ...stored,
      readAt: expect.any(Date),
    });
    expect(await secrets.consume(PURPOSE, secret)).toEqual(stored);
    expect(await rowOf(PURPOSE, secret)).toBeUndefined();
  });

  test('stores the state of the account at that time', async () => {
    const owner = await somebody();
    const secret = await secrets.issue(PURPOSE, owner, {}, HOUR);
    const { seen } = (await secrets.peek(PURPOSE, secret)) ?? {};
    expect(seen?.isStillCurrent({ id: owner.id, epoch: 7 } as Account)).toBe(true);
    expect(seen?.isStillCurrent({ id: owner.id, epoch: 8 } as Account)).toBe(false);
    expect(seen?.isStillCurrent({ id: '1', epoch: 7 } as Account)).toBe(false);
  });

  test('is consumed by exactly one of 32 parallel requests', async () => {
    const secret = await secrets.issue(PURPOSE, await somebody(), {}, HOUR);
    const spent = await Promise.all(Array.from({ length: 32 }, () => secrets.consume(PURPOSE, secret)));
    expect(spent.filter((one) => one !== null)).toHaveLength(1);
    await expectVoid(PURPOSE, secret);
  });

  test('is neither issued nor consumed if the transaction fails', async () => {
    const owner = await somebody();
    const live = await secrets.issue(PURPOSE, owner, { n: 1 }, HOUR);
    const claim = inTransaction(async (tx) => {
      await secrets.issue(PURPOSE, owner, {}, HOUR, { tx, secret: 'not issued' });
      await secrets.chargeAttempt(PURPOSE, live, 10, tx);
      await secrets.change(PURPOSE, live, [{ n: 1 }, { n: 2 }], { tx });
      await secrets.revokeAll(OTHER, owner.id, tx);
      expect(await secrets.peek(PURPOSE, live, tx)).toMatchObject({ payload: { attempts: 1, n: 2 } });
      await secrets.revokeAll(PURPOSE, owner.id, tx);
      throw new Error('and back');
    });
    await expect(claim).rejects.toThrow('and back');
    expect(await rowOf(PURPOSE, 'not issued')).toBeUndefined();
    expect(await secrets.peek(PURPOSE, live)).toMatchObject({ payload: { n: 1 } });
    expect((await secrets.peek(PURPOSE, live))?.payload).toEqual({ n: 1 });
  });

  test('is unknown to every other purpose, and another secret to this one', async () => {
    const owner = await somebody();
    const secret = await secrets.issue(PURPOSE, owner, {}, HOUR);
    await expectLive(PURPOSE, secret);
    await expectVoid(OTHER, secret);
    await expectVoid(PURPOSE, `${secret}A`);
  });

  test('is invalid after it expires', async () => {
    const secret = await secrets.issue(PURPOSE, await somebody(), {}, HOUR);
    await set('expires_at = now()', PURPOSE, secret);
    await expectVoid(PURPOSE, secret);
  });

  test('is deleted a day after it expires', async () => {
    const owner = await somebody();
    const [young, old] = [await secrets.issue(PURPOSE, owner, {}, HOUR), await secrets.issue(PURPOSE, owner, {}, HOUR)];
    await set("expires_at = now() - interval '23 hours'", PURPOSE, young);
    await set("expires_at = now() - interval '25 hours'", PURPOSE, old);
    await runCleanup(service);
    expect(await rowOf(PURPOSE, young)).toBeDefined();
    expect(await rowOf(PURPOSE, old)).toBeUndefined();
  });
});

describe('credentials.md 7: the binding of a secret', () => {
  test('is declared for every purpose', () => {
    expect(Object.values(BOUND).flat().toSorted()).toEqual([...featureRegistry().secrets.keys()].toSorted());
  });

  test.each(purposesOf('account', 'address', 'owner', 'mailbox'))(
    '%s does nothing without an account',
    async (purpose) => {
      const secret = await secrets.issue(purpose, await somebody(), {}, HOUR);
      await expectLive(purpose, secret);
      await set('account_id = NULL', purpose, secret);
      await expectVoid(purpose, secret);
    },
  );

  test.each(purposesOf('account'))(
    '%s is invalid after a change of the epoch or the email address of the account',
    async (purpose) => {
      const owner = await somebody();
      const secret = await secrets.issue(purpose, owner, {}, HOUR);
      await raise('address_epoch', owner);
      await expectVoid(purpose, secret);
      const another = await secrets.issue(purpose, { ...owner, addressEpoch: 4 }, {}, HOUR);
      await expectLive(purpose, another);
      await raise('epoch', owner);
      await expectVoid(purpose, another);
    },
  );

  test.each(purposesOf('address'))('%s is invalid only after a change of the email address', async (purpose) => {
    const owner = await somebody();
    const secret = await secrets.issue(purpose, owner, {}, HOUR);
    await raise('epoch', owner);
    await expectLive(purpose, secret);
    expect(await secrets.peek(purpose, secret)).toMatchObject({ seen: null });
    await raise('address_epoch', owner);
    await expectVoid(purpose, secret);
  });

  test.each(purposesOf('owner'))('%s stays valid after both', async (purpose) => {
    const owner = await somebody();
    const secret = await secrets.issue(purpose, owner, {}, HOUR);
    await raise('epoch', owner);
    await raise('address_epoch', owner);
    await expectLive(purpose, secret);
    expect(await secrets.peek(purpose, secret)).toMatchObject({ seen: null });
  });

  test.each(unboundPurposesOf('later'))(
    '%s has no owner first, and later belongs to the account that takes part',
    async (purpose) => {
      const owner = await somebody();
      const secret = await secrets.issue(purpose, '', {}, HOUR);
      await expectLive(purpose, secret);
      expect(await secrets.change(purpose, secret, [{}, {}], { owner })).toBe(true);
      expect(await rowOf(purpose, secret)).toMatchObject({ account_id: owner.id, epoch: 7, address_epoch: 3 });
      await expectLive(purpose, secret);
      await raise('epoch', owner);
      await expectVoid(purpose, secret);
    },
  );

  test.each(unboundPurposesOf('none'))('%s stays valid whatever happens to an account', async (purpose) => {
    const secret = await secrets.issue(purpose, 'somewhere', {}, HOUR);
    await expectLive(purpose, secret);
  });

  test('the purpose of an extension is bound to its first account, and can start without one', async () => {
    const owner = await somebody();
    const purpose = 'notes-invite';
    const unbound = await secrets.issue(purpose, 'a word', {}, HOUR);
    const bound = await secrets.issue(purpose, owner, {}, HOUR);
    await expectLive(purpose, bound);
    await raise('epoch', owner);
    await expectVoid(purpose, bound);
    await expectLive(purpose, unbound);
  });
});

describe('credentials.md 7: a secret with several steps', () => {
  test('changes once from its present state, and keeps the rest', async () => {
    const secret = await secrets.issue(PURPOSE, await somebody(), { state: 'new', to: 'here' }, HOUR);
    const before = await rowOf(PURPOSE, secret);
    expect(await secrets.change(PURPOSE, secret, [{ state: 'old' }, { state: 'newer' }])).toBe(false);
    const moved = await Promise.all(
      Array.from({ length: 32 }, () => secrets.change(PURPOSE, secret, [{ state: 'new' }, { state: 'newer' }])),
    );
    expect(moved.filter(Boolean)).toHaveLength(1);
    expect(await rowOf(PURPOSE, secret)).toEqual({ ...before, payload: { state: 'newer', to: 'here' } });
  });

  test('has the lifetime of its next step', async () => {
    const secret = await secrets.issue(PURPOSE, await somebody(), {}, 60);
    expect(await secrets.change(PURPOSE, secret, [{}, {}], { ttlSeconds: HOUR })).toBe(true);
    const { created_at, expires_at } = (await rowOf(PURPOSE, secret)) as { created_at: Date; expires_at: Date };
    expect(expires_at.getTime() - created_at.getTime()).toBeGreaterThanOrEqual(HOUR * 1000);
  });

  test('returns its age', async () => {
    const secret = await secrets.issue(PURPOSE, await somebody(), {}, HOUR);
    await set("created_at = now() - interval '100 days'", PURPOSE, secret);
    expect(Math.floor((await secrets.ageOf(PURPOSE, secret)) ?? 0)).toBeGreaterThanOrEqual(8_640_000);
    expect(await secrets.ageOf(PURPOSE, 'another')).toBeNull();
  });

  test('allows as many attempts as its limit, also for 32 parallel ones', async () => {
    const secret = await secrets.issue(PURPOSE, await somebody(), { to: 'here' }, HOUR);
    expect(await secrets.chargeAttempt(PURPOSE, secret, 4)).toMatchObject({ payload: { to: 'here', attempts: 1 } });
    const tried = await Promise.all(Array.from({ length: 32 }, () => secrets.chargeAttempt(PURPOSE, secret, 4)));
    expect(tried.filter((one) => one !== null)).toHaveLength(3);
    expect(await secrets.chargeAttempt(PURPOSE, secret, 4)).toBeNull();
    expect((await rowOf(PURPOSE, secret))?.payload).toEqual({ to: 'here', attempts: 4 });
  });

  test('is reported as expired only to its owner, and only if nothing else revoked it', async () => {
    const [owner, other] = [await somebody(), await somebody()];
    const secret = await secrets.issue(PURPOSE, owner, {}, HOUR);
    const hasExpired = (by = owner, purpose: Purpose = PURPOSE) =>
      inTransaction((tx) => secrets.hasExpired(purpose, secret, by, tx));
    expect(await hasExpired()).toBe(false);
    await set('expires_at = now()', PURPOSE, secret);
    expect(await hasExpired()).toBe(true);
    expect(await hasExpired(other)).toBe(false);
    expect(await hasExpired(owner, OTHER)).toBe(false);
    await raise('epoch', owner);
    expect(await hasExpired()).toBe(false);
  });

  test('is recognized by its payload only for its owner, until it expires, even if the epoch was raised', async () => {
    const [owner, other] = [await somebody(), await somebody()];
    const secret = await secrets.issue(PURPOSE, owner, { used: 'up', to: 'here' }, HOUR);
    const isMarked = (mark: object, by = owner, purpose: Purpose = PURPOSE) =>
      inTransaction((tx) => secrets.hasPayload(purpose, secret, { ...mark }, by, tx));
    expect(await isMarked({ used: 'up' })).toBe(true);
    expect(await isMarked({ used: 'not' })).toBe(false);
    expect(await isMarked({ used: 'up' }, other)).toBe(false);
    expect(await isMarked({ used: 'up' }, owner, OTHER)).toBe(false);
    await raise('epoch', owner);
    expect(await isMarked({ used: 'up' })).toBe(true);
    await set('expires_at = now()', PURPOSE, secret);
    expect(await isMarked({ used: 'up' })).toBe(false);
  });
});

describe('credentials.md 7: deletion of secrets', () => {
  test('all of one purpose and one subject', async () => {
    const [owner, other] = [await somebody(), await somebody()];
    const first = await secrets.issue(PURPOSE, owner, {}, HOUR);
    const second = await secrets.issue(PURPOSE, owner, {}, HOUR);
    const another = await secrets.issue(OTHER, owner, {}, HOUR);
    const foreign = await secrets.issue(PURPOSE, other, {}, HOUR);
    await secrets.revokeAll(PURPOSE, owner.id);
    await expectVoid(PURPOSE, first);
    await expectVoid(PURPOSE, second);
    await expectLive(OTHER, another);
    await expectLive(PURPOSE, foreign);
  });

  test('those issued with a given one or after it', async () => {
    const [owner, other] = [await somebody(), await somebody()];
    const [before, with_, after] = [
      await secrets.issue(PURPOSE, owner, {}, HOUR),
      await secrets.issue(PURPOSE, owner, {}, HOUR),
      await secrets.issue(PURPOSE, owner, {}, HOUR),
    ];
    const another = await secrets.issue(OTHER, owner, {}, HOUR);
    const foreign = await secrets.issue(PURPOSE, other, {}, HOUR);
    await set("created_at = now() - interval '2 hours'", PURPOSE, before);
    await set("created_at = now() - interval '1 hour'", PURPOSE, with_);
    const issued = await secrets.peek(PURPOSE, with_);
    if (!issued) throw new Error('it is live');
    await inTransaction((tx) => secrets.revokeSince(PURPOSE, issued, tx));
    await expectLive(PURPOSE, before);
    await expectVoid(PURPOSE, with_);
    await expectVoid(PURPOSE, after);
    await expectLive(OTHER, another);
    await expectLive(PURPOSE, foreign);
  });

  test('all that are pending for an account, except those that undo an account takeover', async () => {
    const [owner, other] = [await somebody(), await somebody()];
    const bound = purposesOf('account', 'address', 'owner', 'mailbox');
    const issued = await Promise.all(
      bound.map(async (purpose) => [purpose, await secrets.issue(purpose, owner, {}, HOUR)] as const),
    );
    const foreign = await secrets.issue(PURPOSE, other, {}, HOUR);
    await inTransaction((tx) => secrets.revokePending(tx, owner.id));
    const left: string[] = [];
    for (const [purpose, secret] of issued) if (await rowOf(purpose, secret)) left.push(purpose);
    expect(left).toEqual(['email-revert', 'lockdown']);
    await expectLive(PURPOSE, foreign);
  });

  test('all of an account, including those issued about it', async () => {
    const [owner, other] = [await somebody(), await somebody()];
    const bound = await secrets.issue('lockdown', owner, {}, HOUR, { subject: 'a thing' });
    const about = await secrets.issue('captcha-spent', owner.id, {}, HOUR);
    const foreign = await secrets.issue(PURPOSE, other, {}, HOUR);
    await inTransaction((tx) => secrets.deleteAll(tx, owner.id));
    expect(await rowOf('lockdown', bound)).toBeUndefined();
    expect(await rowOf('captcha-spent', about)).toBeUndefined();
    await expectLive(PURPOSE, foreign);
  });

  test('an external value is claimed by exactly one of 32 parallel requests, until it expires', async () => {
    const claims = await Promise.all(
      Array.from({ length: 32 }, () => secrets.claim('captcha-spent', 'a foreign value', HOUR)),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
    const row = await rowOf('captcha-spent', 'a foreign value');
    expect(row).toMatchObject({ purpose: 'captcha-spent', subject: '', payload: {}, account_id: null });
    expect(row?.expires_at - row?.created_at).toBe(HOUR * 1000);
    expect(await secrets.claim('captcha-spent', 'another', HOUR)).toBe(true);
  });
});
