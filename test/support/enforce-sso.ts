import { Database } from '../../src/platform/database/database.js';
import { Instance } from '../../src/platform/instance/instance.js';
import type { Gatehouse } from './gatehouse.js';

/**
 * Turns enforcement of single sign-on on or off, with a complete configuration of an identity provider that does not
 * exist.
 */
export async function enforceSso(service: Gatehouse, enforced: boolean): Promise<void> {
  const instance = service.app.get(Instance);
  const issuer = 'https://idp.example';
  await service.app.get(Database).transaction((tx) =>
    instance.change(tx, 'sso', {
      ...{ enabled: true, enforced, issuer, clientId: 'gatehouse' },
      ...{ authorizationUrl: `${issuer}/authorize`, tokenUrl: `${issuer}/token`, jwksUrl: `${issuer}/keys` },
    }),
  );
}
