import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Connection, type ConnectionSettings } from '../../auth/connections/connection.entities.js';
import {
  Connections,
  isComplete,
  needsDiscovery,
  SECRET_COLUMN,
  SSO_CONNECTION,
} from '../../auth/connections/connections.service.js';
import {
  type ConnectionKind,
  isOAuth2,
  KINDS,
  NO_FIELDS,
  type ProviderFields,
  withPreset,
} from '../../auth/connections/presets.js';
import { ConnectionIdentities } from '../../auth/identities/connection-identities.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import { mailDomain } from '../../auth/sso/sso.dto.js';
import { SsoConfigurationTest, type SsoTrialResult } from '../../auth/sso/sso-configuration-test.service.js';
import { IssuerMismatch, SsoProvider } from '../../auth/sso/sso-provider.service.js';
import { Config } from '../../core/config/config.js';
import { ApiError, type FieldFault, fieldError, validationError } from '../../core/errors.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { ColumnEncryption } from '../../platform/keys/column-encryption.service.js';
import { Outbound } from '../../platform/outbound/outbound.js';
import { AuditActions } from '../audit/audit-actions.service.js';
import type { Operator } from '../audit/operator.js';
import type { CreateConnectionInput, EditConnectionInput } from './connections.dto.js';

const MAX_CONNECTIONS = 20;

/** Serializes all changes of connections, so that parallel requests cannot exceed the limit. */
const CHANGE_LOCK = [0x6761, 0x636e];

const URLS = ['issuer', 'authorization_url', 'token_url', 'userinfo_url', 'jwks_url', 'emails_url'] as const;

/** Settings that identify the provider and the client. */
const PROVIDER_SETTINGS: readonly (keyof ConnectionSettings)[] = [...URLS, 'client_id', 'claims'];

/** Multi-tenant endpoints of Microsoft, where every customer of Microsoft could sign in. */
const SHARED_TENANT = /^\/(?:common|organizations|consumers)(?:\/|$)/i;

const DEFAULTS: Omit<ConnectionSettings, 'display_name'> = {
  ...NO_FIELDS,
  ...{ icon: null, client_id: null, enabled: false, allow_sign_up: true },
  ...{ link_by_email: false, require_second_factor: true, allowed_domains: [] },
};

type ConnectionView = Awaited<ReturnType<AdminConnections['show']>>;

/** A connection and the number of links of administrators that a change of its provider removed. */
export type ChangedConnection = ConnectionView & { readonly voided_admin_links?: number };

type Stored = Pick<Connection, 'id' | 'kind' | 'position' | 'settings' | 'clientSecret'>;

/** Administration of connections (connections.md section 1). */
@Injectable()
export class AdminConnections {
  constructor(
    private readonly database: Database,
    private readonly connections: Connections,
    private readonly identities: ConnectionIdentities,
    private readonly encryption: ColumnEncryption,
    private readonly provider: SsoProvider,
    private readonly test: SsoConfigurationTest,
    private readonly outbound: Outbound,
    private readonly callerGuard: CallerGuard,
    private readonly audit: AuditActions,
    private readonly config: Config,
  ) {}

  async list() {
    const all = await this.connections.read();
    return { connections: await Promise.all(all.map((one) => this.viewOf(one))) };
  }

  /** @throws ApiError UNKNOWN_CONNECTION, also for `sso`, which is part of the instance configuration */
  async show(id: string) {
    return this.viewOf(await this.require(this.database.manager, id));
  }

  /** @throws ApiError MAX_CONNECTIONS, FV(id: CONNECTION_ID_ALREADY_IN_USE), the errors of `check` */
  async create(by: Operator, { id, kind, position, ...input }: CreateConnectionInput) {
    const { client_secret: secret, ...given } = withoutUndefined(input);
    const settings = normalized({ ...DEFAULTS, ...given, display_name: input.display_name });
    await this.check(kind, settings, null);
    return this.change(by, async (tx) => {
      const all = await this.connections.read(tx);
      if (id === SSO_CONNECTION || all.some((one) => one.id === id))
        throw validationError('id', 'CONNECTION_ID_ALREADY_IN_USE');
      if (all.length >= MAX_CONNECTIONS) throw new ApiError('MAX_CONNECTIONS');
      const last = all.at(-1)?.position ?? -1;
      const row = { ...{ id, kind, settings }, position: position ?? Math.min(last + 1, 1000) };
      const made: Stored = { ...row, clientSecret: this.encrypted(id, secret) ?? null };
      await tx.insert(Connection, made);
      const metadata = { kind, ...diffOf({}, { ...settings, position: made.position }), ...secretDiff(secret) };
      await this.audit.record(tx, by, 'create_connection', { id, metadata });
      return this.viewOf(made, tx);
    });
  }

  /** @throws ApiError UNKNOWN_CONNECTION, CONFLICT if it changed during the check, the errors of `check` */
  async edit(by: Operator, id: string, { position, ...input }: EditConnectionInput): Promise<ChangedConnection> {
    const { client_secret: secret, ...given } = withoutUndefined(input);
    const base = await this.require(this.database.manager, id);
    const settings = normalized({ ...base.settings, ...given });
    await this.check(base.kind, settings, base.settings);
    return this.change(by, async (tx) => {
      const current = await this.require(tx, id);
      if (!isDeepStrictEqual(current.settings, base.settings)) throw new ApiError('CONFLICT');
      const box = this.encrypted(id, secret);
      const changed: Stored = {
        ...{ id, kind: current.kind, settings },
        position: position ?? current.position,
        clientSecret: box === undefined ? current.clientSecret : box,
      };
      const { position: place, clientSecret } = changed;
      await tx.update(Connection, { id }, { settings, position: place, clientSecret });
      const isOther = PROVIDER_SETTINGS.some((name) => !isDeepStrictEqual(settings[name], current.settings[name]));
      const voided: Record<string, number> = isOther
        ? { voided_admin_links: await this.identities.removeOfAdministrators(tx, id) }
        : {};
      const before = { ...current.settings, position: current.position };
      const metadata = { ...diffOf(before, { ...settings, position: place }), ...secretDiff(secret), ...voided };
      await this.audit.record(tx, by, 'update_connection', { id, metadata });
      return { ...(await this.viewOf(changed, tx)), ...voided };
    });
  }

  /**
   * Deletes a connection and its identities.
   * @throws ApiError UNKNOWN_CONNECTION, FV(identities: INVALID_FORMAT) for another number than the current one
   */
  remove(by: Operator, id: string, expected: number): Promise<void> {
    return this.change(by, async (tx) => {
      const held = await tx.query<unknown[]>('SELECT 1 FROM connection WHERE id = $1 FOR UPDATE', [id]);
      if (held.length === 0) throw new ApiError('UNKNOWN_CONNECTION');
      if ((await this.identities.countOf(tx, id)) !== expected) throw validationError('identities', 'INVALID_FORMAT');
      const { kind, settings } = await this.require(tx, id);
      const identities = await this.identities.removeOf(tx, id);
      await tx.delete(Connection, { id });
      const metadata = { kind, display_name: settings.display_name, identities };
      await this.audit.record(tx, by, 'delete_connection', { id, metadata });
    });
  }

  /** @throws ApiError UNKNOWN_CONNECTION */
  async tryOut(by: Operator, id: string): Promise<SsoTrialResult> {
    const { kind, settings, client } = this.connections.activate(await this.require(this.database.manager, id));
    const { authorization_url: authorization, token_url: token, userinfo_url: userinfo } = settings;
    const urls = { authorization, token, userinfo, emails: settings.emails_url };
    const result = isOAuth2(kind) ? await this.test.runOAuth2(urls) : await this.test.run(client);
    const failed = result.checks.filter(({ ok }) => !ok).map(({ name }) => name);
    await this.database.transaction((tx) =>
      this.audit.record(tx, by, 'test_connection', { id, metadata: { ok: result.ok, failed } }),
    );
    return result;
  }

  private change<T>(by: Operator, make: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      if (by.identity) await this.callerGuard.lockCaller(tx, by.identity);
      await tx.query('SELECT pg_advisory_xact_lock($1, $2)', CHANGE_LOCK);
      const result = await make(tx);
      await this.connections.announce(tx);
      return result;
    });
  }

  private async require(tx: Tx, id: string): Promise<Connection> {
    const found = await tx.findOneBy(Connection, { id });
    if (!found) throw new ApiError('UNKNOWN_CONNECTION');
    return found;
  }

  private encrypted(id: string, secret: string | null | undefined): Buffer | null | undefined {
    return typeof secret === 'string' ? this.encryption.encrypt(SECRET_COLUMN, secret, id) : secret;
  }

  /**
   * Checks the merged settings. It sends requests to DNS and the provider, so call it outside a transaction.
   * @throws ApiError FV(...: INVALID_FORMAT, URL_NOT_PUBLICLY_ROUTABLE), FV(enabled: SSO_MISCONFIGURED), BAD_GATEWAY if
   * the metadata of the provider is needed and it does not respond
   */
  private async check(kind: ConnectionKind, stored: ConnectionSettings, base: ConnectionSettings | null) {
    const settings = withPreset(kind, stored);
    const { icon, issuer, enabled, claims } = settings;
    const isIcon =
      icon === null || KINDS.some((name) => name === icon) || icon.startsWith(`${this.config.media.baseUrl}/`);
    if (!isIcon) throw validationError('icon', 'INVALID_FORMAT');
    if (claims !== null && claims.id === undefined) throw validationError('claims', 'INVALID_FORMAT');
    if (kind === 'microsoft' && issuer !== null && SHARED_TENANT.test(new URL(issuer).pathname))
      throw validationError('issuer', 'INVALID_FORMAT');
    await this.assertRoutable(settings);
    if (!enabled) return;
    if (!isComplete(kind, settings)) throw validationError('enabled', 'SSO_MISCONFIGURED');
    const isKnown = base?.enabled && withPreset(kind, base).issuer === issuer;
    if (isKnown || !needsDiscovery(kind, settings)) return;
    await this.provider.discover(issuer ?? '').catch((error) => {
      throw error instanceof IssuerMismatch ? validationError('issuer', 'SSO_MISCONFIGURED') : error;
    });
  }

  private async assertRoutable(settings: ProviderFields): Promise<void> {
    if (this.config.sso.allowPrivateAddresses) return;
    const faults = await Promise.all(
      URLS.map(async (name): Promise<FieldFault[]> => {
        const url = settings[name];
        const isFit = url === null || (await this.outbound.mayReach(url, 'public'));
        return isFit ? [] : [fieldError(name, 'URL_NOT_PUBLICLY_ROUTABLE')];
      }),
    );
    if (faults.flat().length > 0) throw new ApiError('INVALID_FORM_BODY', { errors: faults.flat() });
  }

  private async viewOf({ id, kind, position, settings, clientSecret }: Stored, tx: Tx = this.database.manager) {
    return {
      ...{ id, kind, position },
      ...withPreset(kind, settings),
      client_secret_set: clientSecret !== null,
      redirect_uri: this.connections.callbackOf(id),
      identities: await this.identities.countOf(tx, id),
    };
  }
}

const withoutUndefined = <T extends object>(input: T): T =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as T;

const normalized = (settings: ConnectionSettings): ConnectionSettings => ({
  ...settings,
  allowed_domains: [...new Set(settings.allowed_domains.map(mailDomain))],
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** The changed members for the audit log, as `old_<member>` and `new_<member>`. */
function diffOf(before: object, after: object): Record<string, string> {
  const old: Readonly<Record<string, unknown>> = { ...before };
  const changed = Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(value, old[name] ?? null));
  return Object.fromEntries(
    changed.flatMap(([name, value]) => [
      ...(name in old ? [[`old_${name}`, textOf(old[name])] as const] : []),
      [`new_${name}`, textOf(value)] as const,
    ]),
  );
}

/** A new secret always counts as changed, so that the entry does not reveal whether it is the same. */
const secretDiff = (secret: string | null | undefined): Record<string, string> =>
  secret === undefined ? {} : { client_secret: secret === null ? 'cleared' : 'set' };
