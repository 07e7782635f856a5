import { Connections1797743000000 } from '../../migrations/1797743000000-connections.js';
import { defineFeature } from '../../policy/feature.js';
import { ConnectionIdentity } from '../identities/connection-identity.entities.js';
import { SignInRemoval } from '../sign-in-removal.service.js';
import { Connection } from './connection.entities.js';
import { ConnectionsModule } from './connections.module.js';

/** Connections: sign-in with other identity providers (contract/connections.md). */
export const connection = defineFeature('connections', {
  modules: [ConnectionsModule],
  entities: [Connection, ConnectionIdentity],
  migrations: [Connections1797743000000],
  errors: {
    MAX_CONNECTIONS: [400, 'The instance has the maximum number of connections.'],
    CONNECTION_ACCOUNT_EXISTS: [403, 'An account with this email address exists. Sign in another way and link it.'],
    LAST_SIGN_IN_METHOD: [400, 'The last way to sign in cannot be removed.'],
    UNKNOWN_CONNECTION: [404, 'Unknown connection.'],
    UNKNOWN_IDENTITY: [404, 'Unknown identity.'],
  },
  fieldErrors: { CONNECTION_ID_ALREADY_IN_USE: 'Another connection has this ID.' },
  buckets: { 'user:identities': [30, 60] },
  secrets: { 'connection-state': 'none', 'identity-link': 'account' },
  auditActions: {
    create_connection: 'connection',
    update_connection: 'connection',
    delete_connection: 'connection',
    test_connection: 'connection',
  },
  exports: {
    connection_identities: {
      select: `SELECT connection_id, issuer, subject, email, created_at, last_used_at
        FROM connection_identity WHERE account_id = $1 ORDER BY created_at`,
    },
  },
  erasure: {
    connection: { kept: 'settings of the instance' },
    connection_identity: { eraser: SignInRemoval },
  },
  encryptedColumns: { 'client secrets of connections': { table: 'connection', column: 'client_secret' } },
});

declare module '../../core/merged.js' {
  interface Features {
    connection: typeof connection;
  }
}
