import type { Account } from '../policy/account.js';
import type { Identity } from '../policy/identity.js';
import { Seen } from './seen.js';

const account = { id: '1', epoch: 7 } as Account;

describe('credentials.md 7: an account as it was when something began', () => {
  test.each([
    ['a request', Seen.ofRequest({ account } as Identity)],
    ['a password', Seen.ofPassword({ ...account, passwordHash: 'x' })],
    ['a passkey', Seen.ofPasskey(account)],
    ['a secret', Seen.ofSecret(account)],
    ['a raise', Seen.ofRaise(account)],
    ['a proof in the same transaction', Seen.provedWithin(account)],
  ])('%s is true of it as long as it is the same account of the same epoch', (_, seen) => {
    expect(seen.accountId).toBe('1');
    expect(seen.isTrueOf(account)).toBe(true);
    expect(seen.isTrueOf({ ...account, epoch: 8 })).toBe(false);
    expect(seen.isTrueOf({ ...account, id: '2' })).toBe(false);
  });
});
