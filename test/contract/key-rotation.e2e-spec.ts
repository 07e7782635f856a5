import { randomBytes } from 'node:crypto';
import { AccountService } from '../../src/accounts/account.service.js';
import { SudoService } from '../../src/auth/sudo/sudo.service.js';
import { Config } from '../../src/core/config/config.js';
import { Log } from '../../src/core/log.js';
import { Keyring } from '../../src/core/secrets.js';
import { Database } from '../../src/platform/database/database.js';
import { Instance } from '../../src/platform/instance/instance.js';
import { DigestKeys } from '../../src/platform/keys/digest-keys.js';
import { BUILT_IN_KINDS, checkDecryption } from '../../src/platform/keys/encrypted-columns.js';
import { KeyCheck } from '../../src/platform/keys/key-check.service.js';
import { KeyRotation } from '../../src/platform/keys/key-rotation.js';
import { FeatureRegistry } from '../../src/policy/feature-registry.js';
import {
  Authenticator,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  person,
  verifyEmail,
  withTotp,
} from '../support/index.js';

const former = randomBytes(32);

let service: Gatehouse;
/** Keyrings of a process before the rotation, of one after it, and of one that never had either secret. */
let before: Keyring;
let afterwards: Keyring;
let stranger: Keyring;

beforeAll(async () => {
  service = await gatehouse({ env: { GATEHOUSE_SECRET_PREVIOUS: former.toString('base64') } });
  const config = service.app.get(Config);
  before = new Keyring({ ...config, secret: former, secretPrevious: undefined } as Config);
  afterwards = new Keyring({ ...config, secret: config.secret, secretPrevious: undefined } as Config);
  stranger = new Keyring({ ...config, secret: randomBytes(32), secretPrevious: undefined } as Config);
});
afterAll(() => service.close());

describe('credentials.md section 6: two keys are accepted during a rotation', () => {
  test('a sudo proof with the old key is valid until it expires; one with an unknown key is rejected', async () => {
    const alice = await person(service, 'alice');
    await service.sql('UPDATE account SET email_verified = true WHERE id = $1', [alice.id]);
    const authenticator = new Authenticator(service);
    const { secret } = authenticator;
    const enabled = await service.as(alice).post('/v1/users/@me/mfa/totp/enable', {
      secret: secret.base32,
      code: authenticator.code(),
      password: alice.password,
    });
    expect(enabled.status).toBe(200);
    const account = await service.app.get(AccountService).find(alice.id);
    const proofBy = (keyring: Keyring) => {
      const sudo = service.app.get(SudoService);
      const other = Object.create(sudo, { keyring: { value: keyring } }) as SudoService;
      return other.issue(account as NonNullable<typeof account>);
    };
    const demand = (proof: string) =>
      service.as(alice).sudo(proof).post('/v1/auth/sessions/logout', { session_id_hashes: [] });
    expectApiError(await demand(await proofBy(stranger)), 'SUDO_MODE_REQUIRED');
    expect((await demand(await proofBy(before))).status).toBe(204);
    expect((await demand(await proofBy(service.app.get(Keyring)))).status).toBe(204);
  });
});

describe('an authenticator whose key is missing', () => {
  test('responds like a wrong code and is still required, and backup codes work', async () => {
    const carol = await person(service, 'carol');
    const { authenticator, backupCodes } = await withTotp(service, carol);
    const box = stranger.encrypt('totp', authenticator.secret.base32, carol.id);
    await service.sql('UPDATE account SET totp_secret = $2 WHERE id = $1', [carol.id, box]);
    const { email, password } = carol;
    const { body } = await service.anonymous.post('/v1/auth/login', { email, password });
    expect(body).toMatchObject({ mfa: true, totp: true });
    const complete = (code = '') => service.anonymous.post('/v1/auth/login/mfa/totp', { ticket: body.ticket, code });
    expectInvalid(await complete(authenticator.next()), 'code: INVALID_CODE');
    expect((await complete(backupCodes[0])).status).toBe(200);
    expect(service.log.join('')).toContain('GATEHOUSE_SECRET cannot decrypt the secret of an authenticator app');
    await service.sql('UPDATE account SET totp_secret = NULL WHERE id = $1', [carol.id]);
  });
});

describe('keys rotate', () => {
  const rotate = () => service.app.get(KeyRotation).run();
  const stored = async () => {
    const [account] = await service.sql('SELECT id, totp_secret FROM account WHERE totp_secret IS NOT NULL LIMIT 1');
    const [mail] = await service.sql('SELECT id, payload FROM outbox WHERE payload IS NOT NULL LIMIT 1');
    const { clientSecret } = (await service.app.get(Instance).readStored()).sso;
    return { account, mail, clientSecret: Buffer.from(clientSecret ?? '', 'base64') };
  };

  test('authenticator secrets, queued email, the client secret and the digest keys get the current key', async () => {
    const bob = await person(service, 'bob');
    await verifyEmail(service, bob);
    await service.sql('UPDATE account SET totp_secret = NULL');
    await service.sql('UPDATE account SET totp_secret = $2 WHERE id = $1', [
      bob.id,
      before.encrypt('totp', 'JBSWY3DPEHPK3PXP', bob.id),
    ]);
    await service.sql(
      `INSERT INTO outbox (id, type, recipient, payload, next_attempt_at)
       VALUES (7, 'security_notice', 'x@example.com', $1, now() + interval '1 day')`,
      [before.encrypt('outbox', '{"waits":true}', '7')],
    );
    const clientSecret = before.encrypt('sso-client-secret', 'of the provider', 'sso').toString('base64');
    await service.sql("INSERT INTO instance (name, value) VALUES ('sso', $1)", [JSON.stringify({ clientSecret })]);
    const outcome = await rotate();
    expect(Object.fromEntries(outcome)).toEqual({
      'authenticator secrets': { renewed: 1, lost: 0 },
      'queued email': { renewed: 1, lost: 0 },
      'client secret of single sign-on': { renewed: 1, lost: 0 },
      'client secrets of connections': { renewed: 0, lost: 0 },
      'digest keys': { renewed: 0, lost: 0 },
      'signing keys': { renewed: 0, lost: 0 },
      'secrets of event endpoints': { renewed: 0, lost: 0 },
      'previous secrets of event endpoints': { renewed: 0, lost: 0 },
    });
    const now = await stored();
    expect(afterwards.decrypt('totp', now.account?.totp_secret, bob.id)).toBe('JBSWY3DPEHPK3PXP');
    expect(afterwards.decrypt('outbox', now.mail?.payload, '7')).toBe('{"waits":true}');
    expect(afterwards.decrypt('sso-client-secret', now.clientSecret, 'sso')).toBe('of the provider');
    for (const { renewed } of (await rotate()).values()) expect(renewed).toBe(0);
  });

  test('a start tries one stored value of each kind and warns by name of those that no key decrypts', async () => {
    const { manager } = service.app.get(Database);
    const features = service.app.get(FeatureRegistry);
    const kinds = [...BUILT_IN_KINDS.map(({ name }) => name), ...features.encryptedColumns.keys()];
    expect(kinds.sort()).toEqual(service.app.get(KeyRotation).names.sort());
    const [bob] = await service.sql('SELECT id FROM account WHERE totp_secret IS NOT NULL');
    await service.sql("INSERT INTO backup_code (account_id, digest, position) VALUES ($1, '\\x00', 0)", [bob?.id]);
    const states = (keyring: Keyring) => checkDecryption(manager, keyring, features.encryptedColumns);
    const check = async (keyring: Keyring) => {
      const from = service.log.length;
      await new KeyCheck(service.app.get(Database), keyring, service.app.get(Log), features).onModuleInit();
      return service.log.slice(from).filter((line) => line.includes('GATEHOUSE_SECRET cannot decrypt stored secrets'));
    };
    const names = BUILT_IN_KINDS.map(({ name }) => name);
    expect(await states(service.app.get(Keyring))).toEqual(names.map((name) => ({ name, tried: 1, opened: 1 })));
    expect(await states(stranger)).toEqual(names.map((name) => ({ name, tried: 1, opened: 0 })));
    expect(await check(service.app.get(Keyring))).toEqual([]);
    const warnings = await check(stranger);
    expect(warnings).toHaveLength(names.length);
    for (const name of names) expect(warnings.join('')).toContain(`cannot decrypt stored secrets: ${name}`);
    await service.sql('DELETE FROM backup_code WHERE account_id = $1', [bob?.id]);
  });

  test('values that no key decrypts are counted and left unchanged', async () => {
    const [row] = await service.sql('SELECT id FROM account WHERE totp_secret IS NOT NULL');
    const box = stranger.encrypt('totp', 'JBSWY3DPEHPK3PXP', row?.id);
    await service.sql('UPDATE account SET totp_secret = $2 WHERE id = $1', [row?.id, box]);
    expect((await rotate()).get('authenticator secrets')).toEqual({ renewed: 0, lost: 1 });
    expect((await stored()).account?.totp_secret).toEqual(box);
  });

  test('a sealed value is bound to its row and cannot be decrypted in another', async () => {
    const [row] = await service.sql('SELECT id FROM account WHERE totp_secret IS NOT NULL');
    const box = before.encrypt('totp', 'JBSWY3DPEHPK3PXP', '1');
    await service.sql('UPDATE account SET totp_secret = $2 WHERE id = $1', [row?.id, box]);
    expect((await rotate()).get('authenticator secrets')).toEqual({ renewed: 0, lost: 1 });
  });

  test('the digest keys are unchanged, under any key that encrypts them', async () => {
    const keys = service.app.get(DigestKeys).keysFor('backup-code');
    expect(keys).toHaveLength(1);
    const master = randomBytes(32);
    const boxes = [before.encrypt('digest_keys', master.toString('base64'), 'digest_keys')];
    const [kept] = await service.sql("SELECT value FROM instance WHERE name = 'digest_keys'");
    const value = { boxes: [...(kept?.value.boxes ?? []), ...boxes.map((box) => box.toString('base64'))] };
    await service.sql("UPDATE instance SET value = $1 WHERE name = 'digest_keys'", [JSON.stringify(value)]);
    expect((await rotate()).get('digest keys')).toEqual({ renewed: 1, lost: 0 });
    await service.app.get(DigestKeys).onModuleInit();
    expect(service.app.get(DigestKeys).keysFor('backup-code')).toEqual([keys[0], expect.any(Buffer)]);
    expect(service.app.get(DigestKeys).keysFor('phone')).not.toEqual(
      service.app.get(DigestKeys).keysFor('backup-code'),
    );
  });
});
