import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database.js';
import type { DataEraser } from '../policy/account-data.js';
import { Factors } from './factors/factors.service.js';
import { ConnectionIdentities } from './identities/connection-identities.service.js';
import { Passkeys } from './passkeys/passkeys.service.js';
import { OneTimeSecrets } from './secrets/one-time-secrets.service.js';
import { SessionService } from './sessions/sessions.service.js';
import { SsoIdentities } from './sso/sso-identities.service.js';

/** Deletes the sessions, factors, identities and pending secrets of an account that is being deleted. */
@Injectable()
export class SignInRemoval implements DataEraser {
  constructor(
    private readonly sessions: SessionService,
    private readonly passkeys: Passkeys,
    private readonly factors: Factors,
    private readonly identities: SsoIdentities,
    private readonly connections: ConnectionIdentities,
    private readonly secrets: OneTimeSecrets,
  ) {}

  async erase(tx: Tx, id: string): Promise<void> {
    await this.sessions.deleteAll(tx, id);
    await this.passkeys.removeAll(tx, id);
    await this.factors.removeBackupCodes(tx, id);
    await this.identities.removeAll(tx, id);
    await this.connections.removeAll(tx, id);
    await this.secrets.deleteAll(tx, id);
  }
}
