import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { ApiError } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { SerialQueue } from '../../platform/database/serial-queue.js';
import { effectiveEndpoints, hasRequiredEndpoints, Instance } from '../../platform/instance/instance.js';
import { ColumnEncryption } from '../../platform/keys/column-encryption.service.js';
import { ReplicaBus } from '../../platform/replicas/replica-bus.js';
import type { ProviderClient } from '../sso/sso-exchange.service.js';
import { Connection, type ConnectionSettings } from './connection.entities.js';
import { type ConnectionKind, isOAuth2, withPreset } from './presets.js';

/** The id of the connection that sso.md describes. */
export const SSO_CONNECTION = 'sso';
const TOPIC = 'connections';
export const SECRET_COLUMN = 'client secrets of connections';

/** A connection with the fields of its preset. */
export interface ActiveConnection {
  readonly id: string;
  readonly kind: ConnectionKind;
  readonly settings: ConnectionSettings;
  readonly client: ProviderClient;
}

const endpointsOf = (settings: ConnectionSettings) => ({
  authorizationUrl: settings.authorization_url,
  tokenUrl: settings.token_url,
  userinfoUrl: settings.userinfo_url,
  jwksUrl: settings.jwks_url,
});

const originOf = (userinfoUrl: string | null): string => new URL(userinfoUrl ?? 'https://unknown.invalid').origin;

/** Whether users can sign in with these settings. The endpoints of an issuer are discovered. */
export function isComplete(kind: ConnectionKind, stored: ConnectionSettings): boolean {
  const settings = withPreset(kind, stored);
  if (settings.client_id === null) return false;
  if (!isOAuth2(kind)) return settings.issuer !== null;
  const { authorization_url, token_url, userinfo_url, claims } = settings;
  return authorization_url !== null && token_url !== null && userinfo_url !== null && claims?.id !== undefined;
}

/** Whether the metadata of the issuer is needed. */
export const needsDiscovery = (kind: ConnectionKind, stored: ConnectionSettings): boolean =>
  !isOAuth2(kind) && !hasRequiredEndpoints(effectiveEndpoints(endpointsOf(stored)));

/** The connections of the instance. Each process has a copy, which a notice refreshes after every change. */
@Injectable()
export class Connections implements OnModuleInit {
  private readonly reloads = new SerialQueue();
  private known: readonly Connection[] = [];

  constructor(
    private readonly database: Database,
    private readonly replicaBus: ReplicaBus,
    private readonly encryption: ColumnEncryption,
    private readonly instance: Instance,
    private readonly config: Config,
  ) {}

  async onModuleInit(): Promise<void> {
    this.replicaBus.on(TOPIC, () => this.reload());
    this.replicaBus.on('resync', () => this.reload());
    await this.reload();
  }

  /** Notifies all replicas of a change after the commit. */
  announce(tx: Tx): Promise<void> {
    return this.replicaBus.announce(tx, { topic: TOPIC, data: {} });
  }

  /** Reads the stored connections in the order of the buttons. */
  read(tx: Tx = this.database.manager): Promise<Connection[]> {
    return tx.find(Connection, { order: { position: 'ASC', createdAt: 'ASC', id: 'ASC' } });
  }

  /** Lists the connections that users can sign in with, in the order of the administrator. */
  offered() {
    const { sso } = this.instance.current;
    const single = {
      ...{ id: SSO_CONNECTION, kind: 'oidc' as const, icon: 'oidc' },
      display_name: sso.displayName ?? 'Single sign-on',
    };
    const usable = this.known.filter((one) => this.isUsable(one));
    return {
      connections: [
        ...(this.instance.isSsoEnabled ? [single] : []),
        ...usable.map(({ id, kind, settings }) => ({
          ...{ id, kind, display_name: settings.display_name, icon: settings.icon ?? kind },
        })),
      ],
    };
  }

  /** The names of all connections by ID, including disabled ones. */
  get names(): ReadonlyMap<string, string> {
    const { displayName } = this.instance.current.sso;
    const single = [SSO_CONNECTION, displayName ?? 'Single sign-on'] as const;
    return new Map([single, ...this.known.map(({ id, settings }) => [id, settings.display_name] as const)]);
  }

  /** Whether users can sign in with the connection of this ID. */
  isOffered(id: string): boolean {
    return this.offered().connections.some((one) => one.id === id);
  }

  /** @throws ApiError UNKNOWN_CONNECTION if it is unknown, disabled, or blocked because single sign-on is enforced */
  require(id: string): ActiveConnection {
    const found = this.known.find((one) => one.id === id);
    if (!found || !this.isUsable(found)) throw new ApiError('UNKNOWN_CONNECTION');
    return this.activate(found);
  }

  /** Adds the fields of the preset and decrypts the secret. */
  activate({ id, kind, settings: stored, clientSecret }: Connection): ActiveConnection {
    const settings = withPreset(kind, stored);
    const client: ProviderClient = {
      ...endpointsOf(settings),
      issuer: isOAuth2(kind) ? originOf(settings.userinfo_url) : settings.issuer,
      clientId: settings.client_id,
      secret: clientSecret && this.encryption.decrypt(SECRET_COLUMN, clientSecret, id),
      scope: settings.scope,
    };
    return { id, kind, settings, client };
  }

  /** The issuer of a connection, or the origin that takes its place. `null` if it is not configured. */
  issuerOf({ kind, settings: stored }: Connection): string | null {
    const { issuer, userinfo_url: url } = withPreset(kind, stored);
    if (!isOAuth2(kind)) return issuer;
    return url === null ? null : originOf(url);
  }

  /** The callback of a connection, which administrators enter at the provider. */
  callbackOf(id: string): string {
    return `${this.config.webAppUrl}/auth/connections/${id}/callback`;
  }

  private isUsable({ kind, settings }: Connection): boolean {
    return settings.enabled && isComplete(kind, settings) && !this.instance.isSsoEnforced;
  }

  private reload(): Promise<void> {
    return this.reloads.run(async () => {
      this.known = await this.read();
    });
  }
}
