import sharp from 'sharp';
import {
  Events,
  expectApiError,
  expectInvalid,
  type Gatehouse,
  gatehouse,
  inboxAfterDelivery,
  mailTo,
  type Persona,
  person,
  signIn,
  sudoProof,
  verifiedPerson,
  withTotp,
} from '../support/index.js';

const ME = '/v1/users/@me';
const NEW = 'an entirely new one 8';

let service: Gatehouse;
let events: Events;
beforeAll(async () => {
  service = await gatehouse();
  events = new Events(service);
});
afterAll(() => service.close());

const patch = (persona: Persona | string, body: object) => service.as(persona).patch(ME, body);

describe('account.md 2.2 the profile', () => {
  test('an omitted member is unchanged, null clears it, and every other accepted body emits USER_UPDATE', async () => {
    const alice = await person(service, 'alice');
    events.of(alice);
    const full = { global_name: 'Alice ✨', bio: 'about', pronouns: 'she/her', accent_color: 0xff8800 };
    const set = await patch(alice, full);
    expect(set.status).toBe(200);
    expect(set.body).toMatchObject({ ...full, username: 'alice' });
    expect(events.of(alice)).toEqual(['USER_UPDATE']);
    const cleared = await patch(alice, { bio: null, global_name: null });
    expect(cleared.body).toMatchObject({ ...full, bio: null, global_name: null });
    expect((await patch(alice, { pronouns: null, accent_color: null })).body).toMatchObject({
      pronouns: null,
      accent_color: null,
    });
    expect((await service.as(alice).get(ME)).body.bio).toBeNull();
  });

  test('a body without members, or with sudo members only, returns the user unchanged and emits nothing', async () => {
    const alice = await person(service, 'alice');
    const before = (await service.as(alice).get(ME)).body;
    events.of(alice);
    for (const body of [{}, { password: alice.password }, { mfa_method: 'totp', mfa_code: '1' }, { unknown: 1 }]) {
      expect((await patch(alice, body)).body).toEqual(before);
    }
    expect(events.of(alice)).toEqual([]);
  });

  test('sending the present name needs no sudo and changes nothing', async () => {
    const alice = await person(service, 'alice');
    const { discriminator } = (await service.as(alice).get(ME)).body;
    events.of(alice);
    const response = await patch(alice, { username: 'alice', discriminator });
    expect(response.body).toMatchObject({ username: 'alice', discriminator });
    expect(events.of(alice)).toEqual(['USER_UPDATE']);
  });

  test.each([
    [{ bio: '' }, 'bio: INVALID_FORMAT'],
    [{ bio: 'x'.repeat(321) }, 'bio: CONTENT_EXCEEDS_MAX_LENGTH'],
    [{ bio: 'a\u0000b' }, 'bio: INVALID_FORMAT'],
    [{ pronouns: 'x'.repeat(41) }, 'pronouns: CONTENT_EXCEEDS_MAX_LENGTH'],
    [{ accent_color: -1 }, 'accent_color: INVALID_FORMAT'],
    [{ accent_color: 16777216 }, 'accent_color: INVALID_FORMAT'],
    [{ accent_color: 1.5 }, 'accent_color: INVALID_FORMAT'],
    [{ global_name: '   ' }, 'global_name: GLOBAL_NAME_LENGTH_INVALID'],
    [{ global_name: 'x'.repeat(33) }, 'global_name: GLOBAL_NAME_LENGTH_INVALID'],
    [{ global_name: 'everyone' }, 'global_name: GLOBAL_NAME_RESERVED_VALUE'],
    [{ username: null }, 'username: INVALID_FORMAT'],
    [{ username: 'a b' }, 'username: USERNAME_INVALID_CHARACTERS'],
    [{ username: 'here' }, 'username: USERNAME_RESERVED_VALUE'],
    [{ discriminator: '12' }, 'discriminator: DISCRIMINATOR_INVALID_FORMAT'],
    [{ discriminator: '0000' }, 'discriminator: DISCRIMINATOR_OUT_OF_RANGE'],
    [{ email: 'x@example.net' }, 'email: EMAIL_MUST_BE_CHANGED_VIA_TOKEN'],
    [{ new_password: 'short' }, 'new_password: PASSWORD_LENGTH_INVALID'],
    [{ new_password: 'password1' }, 'new_password: PASSWORD_IS_TOO_COMMON'],
    [{ email_token: '' }, 'email_token: INVALID_FORMAT'],
  ])('%j is rejected with the rest of the body', async (fault, expected) => {
    const alice = await person(service, 'alice');
    events.of(alice);
    expectInvalid(await patch(alice, { pronouns: 'they', ...fault }), expected);
    expect((await service.as(alice).get(ME)).body.pronouns).toBeNull();
    expect(events.of(alice)).toEqual([]);
  });

  test('lengths count code points', async () => {
    const alice = await person(service, 'alice');
    expect((await patch(alice, { bio: '🔑'.repeat(320) })).status).toBe(200);
    expectInvalid(await patch(alice, { bio: '🔑'.repeat(321) }), 'bio: CONTENT_EXCEEDS_MAX_LENGTH');
  });

  test('a body of more than 6 MiB is too large', async () => {
    const alice = await person(service, 'alice');
    const response = await patch(alice, { bio: 'x'.repeat(6 * 1024 * 1024) });
    expectApiError(response, 'PAYLOAD_TOO_LARGE');
    expectInvalid(await patch(alice, { bio: 'x'.repeat(1024 * 1024) }), 'bio: CONTENT_EXCEEDS_MAX_LENGTH');
  });

  test('bio and the like may change 25 times in 30 minutes, the name 5 times in 3 hours', async () => {
    const alice = await person(service, 'alice');
    for (let i = 0; i < 25; i++) expect((await patch(alice, { bio: `bio ${i}` })).status).toBe(200);
    expectInvalid(await patch(alice, { bio: 'more', pronouns: 'x' }), 'bio: BIO_CHANGED_TOO_MANY_TIMES');
    expect((await patch(alice, { pronouns: 'x' })).status).toBe(200);
    const { password } = alice;
    for (let i = 0; i < 5; i++) expect((await patch(alice, { username: `alice${i}`, password })).status).toBe(200);
    expectInvalid(await patch(alice, { username: 'alice9', password }), 'username: USERNAME_CHANGED_TOO_MANY_TIMES');
  });

  test('saving unchanged values changes nothing and is not charged', async () => {
    const alice = await person(service, 'alice');
    const { discriminator } = (await service.as(alice).get(ME)).body;
    const form = { username: 'alice', discriminator, bio: 'me', pronouns: 'they', accent_color: 7, avatar: null };
    for (let i = 0; i < 27; i++) expect((await patch(alice, form)).status).toBe(200);
    const { password } = alice;
    for (let i = 0; i < 5; i++) expect((await patch(alice, { ...form, username: `a${i}`, password })).status).toBe(200);
    expectInvalid(await patch(alice, { ...form, password }), 'username: USERNAME_CHANGED_TOO_MANY_TIMES');
    expectInvalid(
      await patch(alice, { discriminator: discriminator === '0001' ? '0002' : '0001', password }),
      'discriminator: USERNAME_CHANGED_TOO_MANY_TIMES',
    );
    expect((await patch(alice, { ...form, username: 'a4', bio: 'new' })).body).toMatchObject({
      username: 'a4',
      bio: 'new',
    });
  });

  test('a rejected change is not charged, and several controls are charged all or none', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    const { password } = alice;
    const taken = (await service.as(bob).get(ME)).body;
    const pair = { username: taken.username, discriminator: taken.discriminator, bio: 'other', password };
    for (let i = 0; i < 26; i++) expectInvalid(await patch(alice, pair), 'discriminator: TAG_ALREADY_TAKEN');
    expectInvalid(await patch(alice, { bio: 'other', email_token: 'x', password }), 'email_token: INVALID_EMAIL_TOKEN');
    expect((await patch(alice, { username: 'alice0', bio: 'bio 0', password })).status).toBe(200);
    for (let i = 1; i < 25; i++) expect((await patch(alice, { bio: `bio ${i}` })).status).toBe(200);
    for (let i = 0; i < 6; i++) {
      const both = { username: `none${i}`, bio: `more ${i}`, password };
      expectInvalid(await patch(alice, both), 'bio: BIO_CHANGED_TOO_MANY_TIMES');
    }
    expect((await service.as(alice).get(ME)).body).toMatchObject({ username: 'alice0', bio: 'bio 24' });
    for (let i = 1; i < 5; i++) expect((await patch(alice, { username: `alice${i}`, password })).status).toBe(200);
    expectInvalid(await patch(alice, { username: 'alice5', password }), 'username: USERNAME_CHANGED_TOO_MANY_TIMES');
  });

  test('of 32 parallel renames to different names, five are made', async () => {
    const alice = await person(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    // The allowance admits only ten of 32 concurrent password attempts. Therefore the requests use a sudo proof.
    const proved = service.as(alice).sudo(await sudoProof(service, alice, authenticator));
    const names = Array.from({ length: 32 }, (_, i) => `alice${i}`);
    const responses = await Promise.all(names.map((username) => proved.patch(ME, { username })));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expectInvalid(response, 'username: USERNAME_CHANGED_TOO_MANY_TIMES');
    }
  });
});

describe('account.md 2.2 avatar and banner', () => {
  const storedOf = async ({ id }: Persona) =>
    (await service.sql('SELECT key FROM media_object WHERE owner_id = $1 ORDER BY key', [id])).map(({ key }) => key);
  const picture = (format: 'png' | 'jpeg' | 'gif' | 'webp' | 'avif', width = 40, height = 20) =>
    sharp({ create: { width, height, channels: 3, background: '#c06030' } })
      .toFormat(format)
      .toBuffer();

  test.each(['png', 'jpeg', 'gif', 'webp', 'avif'] as const)(
    'an image of %s is stored by its hash, until it is cleared',
    async (format) => {
      const alice = await person(service, 'alice');
      const avatar = (await picture(format)).toString('base64');
      const { status, body } = await patch(alice, { avatar, banner: `data:image/${format};base64,${avatar}` });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        avatar: expect.stringMatching(/^[0-9a-f]{32}$/),
        banner: expect.stringMatching(/^[0-9a-f]{32}$/),
      });
      expect(await storedOf(alice)).toEqual([
        `avatars/${alice.id}/${body.avatar}`,
        `banners/${alice.id}/${body.banner}`,
      ]);
      const cleared = await patch(alice, { avatar: null });
      expect(cleared.body).toMatchObject({ avatar: null, banner: body.banner });
      expect(await storedOf(alice)).toEqual([`banners/${alice.id}/${body.banner}`]);
    },
  );

  test('a value that is not an image, is too large or is not text is rejected with the rest of the body', async () => {
    const alice = await person(service, 'alice');
    const text = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
    expectInvalid(await patch(alice, { avatar: text, bio: 'x' }), 'avatar: INVALID_IMAGE_FORMAT');
    const half = (await picture('png', 400, 400)).subarray(0, 60).toString('base64');
    expectInvalid(await patch(alice, { banner: half, bio: 'x' }), 'banner: INVALID_IMAGE_FORMAT');
    const large = Buffer.alloc(2 * 1024 * 1024 + 1).toString('base64');
    expectInvalid(await patch(alice, { avatar: large }), 'avatar: IMAGE_SIZE_EXCEEDS_LIMIT');
    expectInvalid(await patch(alice, { avatar: 7 }), 'avatar: INVALID_FORMAT');
    expect((await service.as(alice).get(ME)).body).toMatchObject({ avatar: null, banner: null, bio: null });
  });

  test('each may change 25 times in 30 minutes', async () => {
    const alice = await person(service, 'alice');
    const image = (await picture('png')).toString('base64');
    const [shown, none] = [
      { avatar: image, banner: image },
      { avatar: null, banner: null },
    ];
    for (let i = 0; i < 25; i++) {
      for (const same of [1, 2]) expect([same, (await patch(alice, i % 2 ? none : shown)).status]).toEqual([same, 200]);
    }
    expectInvalid(await patch(alice, { avatar: null }), 'avatar: AVATAR_CHANGED_TOO_MANY_TIMES');
    expectInvalid(await patch(alice, { banner: null }), 'banner: BANNER_CHANGED_TOO_MANY_TIMES');
    expect((await patch(alice, shown)).status).toBe(200);
  });
});

describe('account.md 2.2 the name', () => {
  test('a new name keeps the discriminator if it is available, else another one is allocated', async () => {
    const [alice, bob] = [await person(service, 'alice'), await person(service, 'bob')];
    const { password } = alice;
    const { discriminator } = (await service.as(alice).get(ME)).body;
    expectApiError(await patch(alice, { username: 'carol' }), 'SUDO_MODE_REQUIRED');
    expect((await patch(alice, { username: 'carol', password })).body).toMatchObject({
      username: 'carol',
      discriminator,
    });
    await service.sql('UPDATE account SET username = $2, discriminator = $3 WHERE id = $1', [
      bob.id,
      'Taken',
      Number(discriminator),
    ]);
    const moved = await patch(alice, { username: 'taken', password });
    expect(moved.body.username).toBe('taken');
    expect(moved.body.discriminator).not.toBe(discriminator);
  });

  test('a discriminator that the user chooses must be available', async () => {
    const [alice, bob] = [await person(service, 'chooser'), await person(service, 'bob')];
    await service.sql('UPDATE account SET discriminator = 8 WHERE id = $1', [alice.id]);
    await service.sql("UPDATE account SET username = 'chooser', discriminator = 7 WHERE id = $1", [bob.id]);
    const { password } = alice;
    expectInvalid(
      await patch(alice, { discriminator: '0007', bio: 'x', password }),
      'discriminator: TAG_ALREADY_TAKEN',
    );
    expect((await service.as(alice).get(ME)).body.bio).toBeNull();
    const [free] = await service.sql(
      "SELECT min(n)::int AS n FROM generate_series(100, 9999) n WHERE n NOT IN (SELECT discriminator FROM account WHERE lower(username) = 'chooser')",
    );
    const discriminator = String(free?.n).padStart(4, '0');
    expect((await patch(alice, { discriminator, password })).body.discriminator).toBe(discriminator);
  });
});

describe('account.md 2.2 the password', () => {
  test('a change ends every other session, rotates the calling one and sends an email', async () => {
    const alice = await verifiedPerson(service, 'alice');
    const other = await signIn(service, alice);
    await service.anonymous.post('/v1/auth/forgot', { email: alice.email });
    const reset = await mailTo(service, alice.email, 'password_reset');
    const before = (await service.as(alice).get('/v1/auth/sessions')).body;
    events.of(alice);
    const response = await patch(alice, { password: alice.password, new_password: NEW, bio: 'x' });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      id: alice.id,
      bio: 'x',
      token: expect.stringMatching(/^flx_[A-Za-z0-9]{36}$/),
      auth_session_id_hash: expect.stringMatching(/^[\w-]{43}$/),
      password_last_changed_at: expect.stringMatching(/Z$/),
    });
    expect(new Set(events.of(alice))).toEqual(new Set(['AUTH_SESSION_CHANGE', 'USER_UPDATE']));
    for (const dead of [alice.authorization, other]) expectApiError(await service.as(dead).get(ME), 'UNAUTHORIZED');
    const { body: sessions } = await service.as(response.body.token).get('/v1/auth/sessions');
    expect(sessions).toHaveLength(1);
    expect(sessions[0].id_hash).toBe(response.body.auth_session_id_hash);
    expect(before.map(({ id_hash }: { id_hash: string }) => id_hash)).not.toContain(sessions[0].id_hash);
    expect((await service.anonymous.get(`/v1/auth/reset/${reset.metadata.token}`)).body).toEqual({ valid: false });
    await signIn(service, { ...alice, password: NEW });
    const notices = await inboxAfterDelivery(service, alice.email, 'security_notice');
    expect(notices.map(({ metadata }) => metadata.event)).toEqual(['password_changed']);
  });

  test('a password-only account proves the present password by sudo: a missing one is 403, a wrong one INVALID_PASSWORD', async () => {
    const alice = await person(service, 'alice');
    expectApiError(await patch(alice, { new_password: NEW }), 'SUDO_MODE_REQUIRED');
    expectInvalid(
      await patch(alice, { new_password: NEW, password: 'a wrong password' }),
      'password: INVALID_PASSWORD',
    );
    await signIn(service, alice);
  });

  test('an account with a second factor proves both; a missing password is reported before a factor is consumed', async () => {
    const alice = await person(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const code = authenticator.next();
    const factor = { mfa_method: 'totp', mfa_code: code };
    const missing = await patch(alice, { new_password: NEW, ...factor });
    expectInvalid(missing, 'password: INVALID_FORMAT');
    expect(missing.headers.has('x-service-sudo-mode-jwt')).toBe(false);
    const wrong = await patch(alice, { new_password: NEW, password: 'a wrong password', ...factor });
    expectInvalid(wrong, 'password: INVALID_PASSWORD');
    const proof = wrong.headers.get('x-service-sudo-mode-jwt') ?? '';
    expect(proof).not.toBe('');
    const right = await service.as(alice).sudo(proof).patch(ME, { new_password: NEW, password: alice.password });
    expect(right.status).toBe(200);
    expect(right.headers.has('x-service-sudo-mode-jwt')).toBe(false);
  });

  test('the allowance of ten wrong passwords is shared with sudo', async () => {
    const alice = await person(service, 'alice');
    const { authenticator } = await withTotp(service, alice);
    const proof = await sudoProof(service, alice, authenticator);
    const me = service.as(alice).sudo(proof);
    for (let i = 0; i < 10; i++) {
      expectInvalid(
        await me.patch(ME, { new_password: NEW, password: 'a wrong password' }),
        'password: INVALID_PASSWORD',
      );
    }
    expectInvalid(await me.patch(ME, { new_password: NEW, password: alice.password }), 'password: INVALID_PASSWORD');
    const code = { session_id_hashes: [], mfa_method: 'totp', mfa_code: authenticator.next() };
    expectInvalid(await service.as(alice).post('/v1/auth/sessions/logout', code), 'mfa_code: INVALID_MFA_CODE');
  });

  test('an account without a password sets its first', async () => {
    const { body } = await service.anonymous.post('/v1/auth/register', { username: 'nobody' });
    const response = await patch(body.token, { new_password: NEW });
    expect(response.body).toMatchObject({ id: body.user_id, token: expect.any(String) });
    expectApiError(await patch(response.body.token, { new_password: 'yet another one 9' }), 'SUDO_MODE_REQUIRED');
  });

  test('of 32 parallel changes by one session, exactly one is made', async () => {
    const alice = await person(service, 'alice');
    const responses = await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        patch(alice, { password: alice.password, new_password: `password number ${index}` }),
      ),
    );
    const won = responses.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    expect(won).toHaveLength(1);
    for (const { status } of responses) expect([200, 400, 401]).toContain(status);
    await signIn(service, { ...alice, password: `password number ${won[0]}` });
  });
});
