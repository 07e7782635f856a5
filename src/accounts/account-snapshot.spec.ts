import type { Account } from '../policy/account.js';
import type { Identity } from '../policy/identity.js';
import { AccountSnapshot } from './account-snapshot.js';

const account = { id: '1', epoch: 7 } as Account;

describe('credentials.md 7: an account as it was when an operation began', () => {
  test.each([
    ['a request', AccountSnapshot.ofRequest({ account } as Identity)],
    ['a password', AccountSnapshot.ofPassword({ ...account, passwordHash: 'x' })],
    ['a passkey', AccountSnapshot.ofPasskey(account)],
    ['a secret', AccountSnapshot.ofSecret(account)],
    ['a raise', AccountSnapshot.ofNewEpoch(account)],
    ['a proof in the same transaction', AccountSnapshot.ofTransaction(account)],
  ])('%s equals it as long as it is the same account of the same epoch', (_, seen) => {
    expect(seen.accountId).toBe('1');
    expect(seen.isStillCurrent(account)).toBe(true);
    expect(seen.isStillCurrent({ ...account, epoch: 8 })).toBe(false);
    expect(seen.isStillCurrent({ ...account, id: '2' })).toBe(false);
  });
});
