import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { ApiError, type FieldFault, fieldError, validationError } from '../../core/errors.js';
import { validateShape } from '../../http/input.js';
import type { Tx } from '../../platform/database/database.js';
import { hasRequiredEndpoints, Instance, isSsoComplete, type SsoSettings } from '../../platform/instance/instance.js';
import { Outbound } from '../../platform/outbound/outbound.js';
import { OneTimeSecrets } from '../secrets/one-time-secrets.service.js';
import { mailDomain, SsoSectionInput } from './sso.dto.js';
import { DEFAULT_SCOPE, SsoExchange } from './sso-exchange.service.js';
import { SsoIdentities } from './sso-identities.service.js';
import { IssuerMismatch, SsoProvider } from './sso-provider.service.js';

/** A validated change, ready to be stored. */
export interface SsoChange {
  /** The settings that the change was checked against. If they differ when the change is stored, it is rejected. */
  readonly base: SsoSettings;
  readonly settings: SsoSettings;
  /** Changed members, as `sso.<member>`. */
  readonly changed: string[];
}

/** The result of a stored change. */
export interface StoredSsoChange {
  readonly changed: string[];
  /**
   * Number of links of administrator accounts that the change removed. It is absent if the identity provider is the
   * same.
   */
  readonly voidedLinks?: number;
}

/** The purpose and the subject of SSO states. */
export const SSO_STATE = 'sso-state';

const URL_MEMBERS = [
  ['issuer', 'issuer'],
  ['authorization_url', 'authorizationUrl'],
  ['token_url', 'tokenUrl'],
  ['userinfo_url', 'userinfoUrl'],
  ['jwks_url', 'jwksUrl'],
] as const satisfies (readonly [keyof SsoSectionInput, keyof SsoSettings])[];

/** Settings that identify the provider and the client. */
const PROVIDER_SETTINGS = [...URL_MEMBERS.map(([, name]) => name), 'clientId'] as const;

/** Members that only affect texts. All others, including future ones, decide which identities are trusted. */
const TEXT_MEMBERS: ReadonlySet<string> = new Set(['display_name', 'scope']);

/** Whether a change affects which identities the instance trusts (admin.md section 2). */
export const changesTrust = (input: SsoSectionInput): boolean =>
  Object.entries(input).some(([member, value]) => value !== undefined && !TEXT_MEMBERS.has(member));

const misconfigured = (): ApiError => validationError('sso', 'SSO_MISCONFIGURED');

/** The section `sso` of the instance configuration (sso.md section 1). */
@Injectable()
export class SsoConfiguration {
  constructor(
    private readonly instance: Instance,
    private readonly provider: SsoProvider,
    private readonly exchange: SsoExchange,
    private readonly secrets: OneTimeSecrets,
    private readonly identities: SsoIdentities,
    private readonly outbound: Outbound,
    private readonly config: Config,
  ) {}

  /** Returns the public status of single sign-on (sso.md 2.1). */
  status() {
    return {
      enabled: this.instance.isSsoEnabled,
      enforced: this.instance.isSsoEnforced,
      display_name: this.instance.current.sso.displayName,
      redirect_uri: this.config.sso.redirectUri,
    };
  }

  /** Returns the section for administrators, without the client secret. */
  view() {
    const { sso } = this.instance.current;
    return {
      enabled: sso.enabled,
      enforced: sso.enforced,
      display_name: sso.displayName,
      issuer: sso.issuer,
      authorization_url: sso.authorizationUrl,
      token_url: sso.tokenUrl,
      userinfo_url: sso.userinfoUrl,
      jwks_url: sso.jwksUrl,
      client_id: sso.clientId,
      client_secret_set: sso.clientSecret !== null,
      scope: sso.scope ?? DEFAULT_SCOPE,
      allowed_domains: sso.allowedDomains,
      auto_provision: sso.autoProvision,
      redirect_uri: this.config.sso.redirectUri,
    };
  }

  /**
   * Merges a patch into the section and checks the result. It sends requests to DNS and the provider, so call it
   * outside a transaction.
   * @throws ApiError FV(sso...), BAD_GATEWAY if the provider is needed and does not respond
   */
  async check(input: SsoSectionInput): Promise<SsoChange> {
    const { sso: base } = await this.instance.readStored();
    const merged = { ...base, ...this.changesOf(input) };
    if (merged.enforced && !merged.enabled) throw misconfigured();
    await this.assertRoutable(merged);
    const settings = { ...merged, discovered: await this.discoverIfNeeded(base, merged) };
    if (settings.enforced && !isSsoComplete(settings)) throw misconfigured();
    const changed = Object.keys(input).filter((member) => isChanged(member, base, settings));
    return { base, settings, changed: changed.map((member) => `sso.${member}`) };
  }

  /**
   * Stores a checked change. All replicas apply it within a second. If the provider, an endpoint or the client changes,
   * links of administrators are removed until an administrator links them again.
   * @throws ApiError CONFLICT if the section changed after the check
   */
  async store(tx: Tx, { base, settings, changed }: SsoChange): Promise<StoredSsoChange> {
    const { sso: current } = await this.instance.lockAll(tx);
    if (!isDeepStrictEqual(current, base)) throw new ApiError('CONFLICT');
    await this.instance.change(tx, 'sso', settings);
    const voidsStates = !settings.enabled || settings.issuer !== base.issuer || settings.clientId !== base.clientId;
    if (voidsStates) await this.secrets.revokeAll(SSO_STATE, SSO_STATE, tx);
    const isOther = PROVIDER_SETTINGS.some((member) => settings[member] !== base[member]);
    return { changed, ...(isOther && { voidedLinks: await this.identities.removeOfAdministrators(tx) }) };
  }

  /** For operators who have lost access to their provider: lets all users sign in as without single sign-on. */
  async liftEnforcement(tx: Tx): Promise<void> {
    await this.instance.change(tx, 'sso', { enforced: false });
  }

  private changesOf(input: SsoSectionInput): Partial<SsoSettings> {
    const { allowed_domains: domains, client_secret: secret, scope } = input;
    const changes = {
      enabled: input.enabled,
      enforced: input.enforced,
      displayName: input.display_name,
      ...Object.fromEntries(URL_MEMBERS.map(([member, name]) => [name, input[member]])),
      clientId: input.client_id,
      clientSecret: typeof secret === 'string' ? this.exchange.encryptSecret(secret) : secret,
      scope: typeof scope === 'string' && !scope.split(' ').includes('openid') ? `openid ${scope}` : scope,
      allowedDomains: domains && [...new Set(domains.map(mailDomain))],
      autoProvision: input.auto_provision,
    };
    return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  }

  /** Checks URLs even if single sign-on is off, because it can be turned on later. */
  private async assertRoutable(settings: SsoSettings): Promise<void> {
    if (this.config.sso.allowPrivateAddresses) return;
    const faults = await Promise.all(
      URL_MEMBERS.map(async ([member, name]): Promise<FieldFault[]> => {
        const url = settings[name];
        const isFit = url === null || (await this.outbound.mayReach(url, 'public'));
        return isFit ? [] : [fieldError(`sso.${member}`, 'URL_NOT_PUBLICLY_ROUTABLE')];
      }),
    );
    if (faults.flat().length > 0) throw new ApiError('INVALID_FORM_BODY', { errors: faults.flat() });
  }

  /** Runs discovery when a change turns single sign-on on or sets another issuer. */
  private async discoverIfNeeded(base: SsoSettings, merged: SsoSettings): Promise<SsoSettings['discovered']> {
    const { issuer, enabled } = merged;
    const isKnown = base.enabled && base.discovered?.issuer === issuer;
    if (!enabled || issuer === null || hasRequiredEndpoints(merged) || isKnown) return base.discovered;
    try {
      const facts = await this.provider.discover(issuer);
      const { tokenAuthMethods: _, algorithms: __, ...endpoints } = facts;
      return { issuer, ...endpoints };
    } catch (error) {
      throw error instanceof IssuerMismatch ? misconfigured() : error;
    }
  }
}

/** @throws ApiError FV(sso...) */
export function readSsoSection(patch: unknown): SsoSectionInput {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch))
    throw validationError('sso', 'INVALID_FORMAT');
  const { instance, faults } = validateShape(SsoSectionInput, patch);
  if (faults.length > 0) {
    throw new ApiError('INVALID_FORM_BODY', {
      errors: faults.map((fault) => ({ ...fault, path: `sso.${fault.path}` })),
    });
  }
  return instance;
}

const toCamelCase = (member: string): string =>
  member.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A new client secret always counts as changed, so that the response does not reveal whether it is the same. */
function isChanged(member: string, base: SsoSettings, settings: SsoSettings): boolean {
  if (member === 'client_secret') return base.clientSecret !== settings.clientSecret;
  const name = toCamelCase(member) as keyof SsoSettings;
  return !isDeepStrictEqual(base[name], settings[name]);
}
