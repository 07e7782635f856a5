import { EMPTY_ACCOUNT } from '../accounts/account-facts.js';
import type { Identity } from '../policy/identity.js';
import type { Caller } from './guard.js';

/** Kinds of credential that can be simulated; `admin-bearer` is a bearer of the Admin application. */
export const SIMULATED_CREDENTIALS = ['none', 'session', 'bot', 'bearer', 'admin-bearer', 'admin-key'] as const;
export type SimulatedCredential = (typeof SIMULATED_CREDENTIALS)[number];

/** A simulated caller. Omitted members are empty. */
export interface SimulatedCaller {
  readonly credential?: SimulatedCredential | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** ACLs of the account. For an Admin API key, the ACLs of its owner. */
  readonly acls?: readonly string[] | undefined;
  /** ACLs of the Admin API key. Default: the ACLs of its owner. */
  readonly keyAcls?: readonly string[] | undefined;
  readonly suspicious?: number | undefined;
  readonly isSsoEnforced?: boolean | undefined;
}

const DIGEST = Buffer.alloc(32);
const [SOME, ANOTHER] = ['0', '-'];

function buildIdentity(imagined: SimulatedCaller, adminApplicationId: string): Identity | null {
  const { credential = 'none', scopes = [], acls = [], keyAcls = acls, suspicious = 0 } = imagined;
  const account = { ...EMPTY_ACCOUNT, acls, suspicious, bot: credential === 'bot' };
  const bearer = { account, via: 'bearer', tokenId: SOME, familyId: SOME, scopes, expiresAt: new Date(0) } as const;
  switch (credential) {
    case 'none':
      return null;
    case 'session':
      return { account, via: 'session', sessionId: SOME, digest: DIGEST };
    case 'bot':
      return { account, via: 'bot', applicationId: SOME, tokenId: SOME, digest: DIGEST };
    case 'bearer':
      return { ...bearer, applicationId: ANOTHER };
    case 'admin-bearer':
      return { ...bearer, applicationId: adminApplicationId };
    case 'admin-key':
      return { account, via: 'admin-key', keyId: SOME, acls: keyAcls };
  }
}

/** A caller with a valid credential. Admin API keys count only below `/v1/admin`. */
export function buildCaller(imagined: SimulatedCaller, adminApplicationId: string, isAdminRoute: boolean): Caller {
  const { credential, isSsoEnforced } = imagined;
  const isRead = credential !== 'admin-key' || isAdminRoute;
  return {
    identity: isRead ? buildIdentity(imagined, adminApplicationId) : null,
    authorization: credential === 'bot' ? ['Bot '] : [],
    ...(isSsoEnforced !== undefined && { isSsoEnforced }),
  };
}
