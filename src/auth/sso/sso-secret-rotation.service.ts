import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Instance } from '../../platform/instance/instance.js';
import { KeyRotation, type RotationResult } from '../../platform/keys/key-rotation.js';
import { SECRET_CONTEXT, SECRET_LABEL } from './sso-exchange.service.js';

/** Encrypts the client secret of single sign-on again with the current key. */
@Injectable()
export class SsoSecretRotation {
  constructor(
    private readonly database: Database,
    private readonly instance: Instance,
    private readonly rotation: KeyRotation,
  ) {
    rotation.add('client secret of single sign-on', () => this.renew());
  }

  private renew(): Promise<RotationResult> {
    return this.database.transaction(async (tx) => {
      const { clientSecret } = (await this.instance.lockAll(tx)).sso;
      if (clientSecret === null) return { renewed: 0, lost: 0 };
      const fresh = this.rotation.reencrypt(SECRET_LABEL, Buffer.from(clientSecret, 'base64'), SECRET_CONTEXT);
      if (fresh === 'lost') return { renewed: 0, lost: 1 };
      if (fresh) await this.instance.change(tx, 'sso', { clientSecret: fresh.toString('base64') });
      return { renewed: fresh ? 1 : 0, lost: 0 };
    });
  }
}
