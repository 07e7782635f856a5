import { Injectable } from '@nestjs/common';
import { AccountDataRegistry } from '../accounts/account-data-registry.service.js';
import { Factors } from './factors/factors.service.js';
import { Passkeys } from './passkeys/passkeys.service.js';
import { OneTimeSecrets } from './secrets/one-time-secrets.service.js';
import { SessionService } from './sessions/sessions.service.js';
import { SsoIdentities } from './sso/sso-identities.service.js';

/** Deletes the sessions, factors, identities and pending secrets of an account that is being deleted. */
@Injectable()
export class SignInRemoval {
  constructor(
    accountDataRegistry: AccountDataRegistry,
    sessions: SessionService,
    passkeys: Passkeys,
    factors: Factors,
    identities: SsoIdentities,
    secrets: OneTimeSecrets,
  ) {
    accountDataRegistry.registerEraser(async (tx, id) => {
      await sessions.deleteAll(tx, id);
      await passkeys.removeAll(tx, id);
      await factors.removeBackupCodes(tx, id);
      await identities.removeAll(tx, id);
      await secrets.deleteAll(tx, id);
    });
  }
}
