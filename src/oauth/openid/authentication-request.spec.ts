import type { Authentication, AuthenticationLevel } from '../../auth/records/authentication.js';
import type { Account } from '../../policy/account.js';
import { isSilent, isSufficient, promptsOf, requestedLevel } from './authentication-request.js';

const accountWith = (methods: Partial<Account> = {}) =>
  ({ hasPassword: false, hasTotp: false, passkeys: 0, ...methods }) as Account;

describe('openid.md 4: prompt', () => {
  test.each<[prompt: string | undefined, prompts: string[] | null]>([
    [undefined, []],
    ['', []],
    [' ', []],
    ['none', ['none']],
    ['login', ['login']],
    ['select_account consent  login', ['login', 'consent', 'select_account']],
    ['consent consent', ['consent']],
    ['none none', ['none']],
    ['none login', null],
    ['consent none', null],
    ['Login', null],
    ['login create', null],
    ['create', null],
  ])('%j lists %j', (prompt, prompts) => {
    expect(promptsOf(prompt)).toEqual(prompts);
    expect(isSilent(prompt === undefined ? {} : { prompt })).toBe(prompts?.[0] === 'none');
  });
});

describe('openid.md 4: acr_values', () => {
  const WITH_TOTP = accountWith({ hasPassword: true, hasTotp: true });
  const WITH_PASSKEY = accountWith({ passkeys: 1 });
  const [ACR1, ACR2] = ['urn:gatehouse:acr:1', 'urn:gatehouse:acr:2'];
  test.each<[acr_values: string | undefined, account: Account, level: AuthenticationLevel]>([
    [undefined, WITH_PASSKEY, 1],
    ['', WITH_PASSKEY, 1],
    ['urn:unknown', WITH_PASSKEY, 1],
    [ACR2, WITH_TOTP, 2],
    [ACR2, WITH_PASSKEY, 2],
    [ACR2, accountWith({ hasPassword: true }), 1],
    [ACR2, accountWith({ hasTotp: true }), 1],
    ['phr', WITH_PASSKEY, 3],
    ['phr', WITH_TOTP, 1],
    [`phr ${ACR2}`, WITH_PASSKEY, 2],
    [`phr ${ACR2}`, WITH_TOTP, 2],
    [`phr ${ACR1}`, WITH_PASSKEY, 1],
    [`${ACR2} ${ACR1}`, WITH_TOTP, 1],
  ])('%j of an account with %j requests level %d', (acr_values, account, level) => {
    expect(requestedLevel(acr_values === undefined ? {} : { acr_values }, account)).toBe(level);
  });
});

describe('openid.md 4: an authentication', () => {
  const now = Date.UTC(2026, 0);
  const about = { account: accountWith({ passkeys: 1 }), now };
  const at = new Date(now - 60_000);
  const signedIn = (more: Partial<Authentication> = {}): Authentication => ({ amr: ['pwd'], level: 1, at, ...more });
  test.each([
    [{}, signedIn(), true],
    [{ prompt: 'consent' }, signedIn(), true],
    [{ prompt: 'login' }, signedIn(), false],
    [{ prompt: 'login consent' }, signedIn(), false],
    [{ max_age: 60 }, signedIn(), true],
    [{ max_age: 59 }, signedIn(), false],
    [{ max_age: 0 }, signedIn(), false],
    [{ max_age: 0 }, signedIn({ at: new Date(now) }), true],
    [{ acr_values: 'phr' }, signedIn(), false],
    [{ acr_values: 'phr' }, signedIn({ level: 2 }), false],
    [{ acr_values: 'phr' }, signedIn({ level: 3 }), true],
    [{ acr_values: 'urn:gatehouse:acr:2' }, signedIn({ level: 3 }), true],
    [{ acr_values: 'phr', prompt: 'login' }, signedIn({ level: 3 }), false],
    [{ prompt: 'unknown' }, signedIn(), true],
  ])('request %j, authentication %j: sufficient %j', (request, authentication, isEnough) => {
    expect(isSufficient(authentication, request, about)).toBe(isEnough);
  });

  test('without a time is older than any max_age', () => {
    const { at: _, ...timeless } = signedIn();
    expect(isSufficient(timeless, { max_age: 31_536_000 }, about)).toBe(false);
    expect(isSufficient(timeless, {}, about)).toBe(true);
  });
});
