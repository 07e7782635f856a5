import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { Database, type Tx } from '../database/database.js';
import { Turns } from '../database/turns.js';
import { Replica } from '../replicas/replica.js';
import { InstanceSetting } from './instance.entities.js';

/** Where the provider answers; `null` where it is not known. */
export interface SsoEndpoints {
  authorizationUrl: string | null;
  tokenUrl: string | null;
  userinfoUrl: string | null;
  jwksUrl: string | null;
}

/** Single sign-on (sso.md section 1). The endpoints are those that were set: each overrides the discovered one. */
export interface SsoSettings extends SsoEndpoints {
  enabled: boolean;
  enforced: boolean;
  displayName: string | null;
  issuer: string | null;
  clientId: string | null;
  /** Encrypted, in base64. */
  clientSecret: string | null;
  scope: string | null;
  allowedDomains: string[];
  autoProvision: boolean;
  /** What discovery told once, of this issuer; it keeps the configuration complete while the provider is down. */
  discovered: ({ issuer: string } & SsoEndpoints) | null;
}

/** Settings that an administrator changes while the service runs. */
export interface InstanceSettings {
  sso: SsoSettings;
  registration: {
    mode: 'open' | 'approval' | 'closed';
    hideExistingAccounts: boolean;
    initialSuspiciousFlags: number;
  };
  branding: { productName: string };
  legal: { termsUrl: string | null; privacyUrl: string | null };
}

const CHANGE_LOCK = [0x6761, 0x696e];

const NO_ENDPOINTS: SsoEndpoints = { authorizationUrl: null, tokenUrl: null, userinfoUrl: null, jwksUrl: null };

/** The endpoints in force: each that was set overrides the one that was found. */
export const endpointsInForce = (set: SsoEndpoints, found: SsoEndpoints = NO_ENDPOINTS): SsoEndpoints => ({
  authorizationUrl: set.authorizationUrl ?? found.authorizationUrl,
  tokenUrl: set.tokenUrl ?? found.tokenUrl,
  userinfoUrl: set.userinfoUrl ?? found.userinfoUrl,
  jwksUrl: set.jwksUrl ?? found.jwksUrl,
});

/** Whether nothing that is needed has to be discovered. */
export const isSsoDescribed = ({ authorizationUrl, tokenUrl, jwksUrl }: SsoEndpoints): boolean =>
  authorizationUrl !== null && tokenUrl !== null && jwksUrl !== null;

/** Whether somebody could sign in with it (sso.md section 1). */
export function isSsoComplete(sso: SsoSettings): boolean {
  const found = sso.discovered?.issuer === sso.issuer ? (sso.discovered ?? undefined) : undefined;
  return sso.issuer !== null && sso.clientId !== null && isSsoDescribed(endpointsInForce(sso, found));
}

/** The settings in force: stored value, environment, built-in default. Changes reach every replica by a notice. */
@Injectable()
export class Instance implements OnModuleInit {
  private settings: InstanceSettings;
  private readonly turns = new Turns();

  constructor(
    private readonly database: Database,
    private readonly replica: Replica,
    private readonly config: Config,
  ) {
    this.settings = this.defaults();
  }

  async onModuleInit(): Promise<void> {
    this.replica.on('instance', () => this.reload());
    this.replica.on('resync', () => this.reload());
    await this.reload();
  }

  get current(): Readonly<InstanceSettings> {
    return this.settings;
  }

  /** Single sign-on is switched on and fully configured. */
  get isSsoEnabled(): boolean {
    return this.settings.sso.enabled && isSsoComplete(this.settings.sso);
  }

  /** Enforcement is active if single sign-on is enabled, fully configured and enforced (sso.md section 1). */
  get isSsoEnforced(): boolean {
    return this.isSsoEnabled && this.settings.sso.enforced;
  }

  /** Settings as they are stored now, whatever this process has heard of. */
  stored(): Promise<InstanceSettings> {
    return this.read(this.database.manager);
  }

  /** Settings as they are stored, which nobody else changes until `tx` ends. */
  async hold(tx: Tx): Promise<InstanceSettings> {
    await tx.query('SELECT pg_advisory_xact_lock($1, $2)', CHANGE_LOCK);
    return this.read(tx);
  }

  /** A section as it is stored, kept from every other change until `tx` ends. */
  async lock<S extends keyof InstanceSettings>(tx: Tx, section: S): Promise<InstanceSettings[S]> {
    return (await this.hold(tx))[section];
  }

  /**
   * Merges a change into what is stored of one section and tells every replica after the commit. Members that nobody
   * ever set keep following the environment.
   */
  async change<S extends keyof InstanceSettings>(
    tx: Tx,
    section: S,
    change: Partial<InstanceSettings[S]>,
  ): Promise<void> {
    await this.hold(tx);
    const stored = await tx.findOneBy(InstanceSetting, { name: section });
    const merged = { ...(stored?.value as object | undefined), ...change };
    await tx.upsert(InstanceSetting, { name: section, value: merged as never }, ['name']);
    await this.replica.announce(tx, { topic: 'instance', data: {} });
  }

  private defaults(): InstanceSettings {
    const { brand, productName } = this.config;
    return {
      sso: {
        enabled: false,
        enforced: false,
        displayName: null,
        issuer: null,
        ...NO_ENDPOINTS,
        clientId: null,
        clientSecret: null,
        scope: null,
        allowedDomains: [],
        autoProvision: false,
        discovered: null,
      },
      registration: { mode: 'open', hideExistingAccounts: false, initialSuspiciousFlags: 0 },
      branding: { productName },
      legal: { termsUrl: brand.termsUrl ?? null, privacyUrl: brand.privacyUrl ?? null },
    };
  }

  private reload(): Promise<void> {
    return this.turns.take(async () => {
      this.settings = await this.read(this.database.manager);
    });
  }

  private async read(tx: Tx): Promise<InstanceSettings> {
    const settings = this.defaults();
    for (const { name, value } of await tx.find(InstanceSetting)) {
      if (name in settings) Object.assign(settings[name as keyof InstanceSettings], value);
    }
    return settings;
  }
}
