import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../core/config/config.js';
import { Database, type Tx } from '../database/database.js';
import { SerialQueue } from '../database/serial-queue.js';
import { ReplicaBus } from '../replicas/replica-bus.js';
import { InstanceSetting } from './instance.entities.js';

/** Endpoints of the identity provider; `null` if unknown. */
export interface SsoEndpoints {
  authorizationUrl: string | null;
  tokenUrl: string | null;
  userinfoUrl: string | null;
  jwksUrl: string | null;
}

/** Single sign-on (sso.md section 1). The endpoints are the configured ones, and each overrides the discovered one. */
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
  /** Last discovery result of this issuer. It keeps the configuration complete while the identity provider is down. */
  discovered: ({ issuer: string } & SsoEndpoints) | null;
}

/** Settings that administrators change while the service runs. */
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

/** Effective endpoints: each configured one overrides the discovered one. */
export const effectiveEndpoints = (set: SsoEndpoints, found: SsoEndpoints = NO_ENDPOINTS): SsoEndpoints => ({
  authorizationUrl: set.authorizationUrl ?? found.authorizationUrl,
  tokenUrl: set.tokenUrl ?? found.tokenUrl,
  userinfoUrl: set.userinfoUrl ?? found.userinfoUrl,
  jwksUrl: set.jwksUrl ?? found.jwksUrl,
});

/** Whether all required endpoints are configured, so that no discovery is needed. */
export const hasRequiredEndpoints = ({ authorizationUrl, tokenUrl, jwksUrl }: SsoEndpoints): boolean =>
  authorizationUrl !== null && tokenUrl !== null && jwksUrl !== null;

/** Whether the configuration is complete enough to sign in (sso.md section 1). */
export function isSsoComplete(sso: SsoSettings): boolean {
  const found = sso.discovered?.issuer === sso.issuer ? (sso.discovered ?? undefined) : undefined;
  return sso.issuer !== null && sso.clientId !== null && hasRequiredEndpoints(effectiveEndpoints(sso, found));
}

/**
 * Effective settings: stored value, then environment, then built-in default. A notice propagates changes to all
 * replicas.
 */
@Injectable()
export class Instance implements OnModuleInit {
  private settings: InstanceSettings;
  private readonly reloads = new SerialQueue();

  constructor(
    private readonly database: Database,
    private readonly replicaBus: ReplicaBus,
    private readonly config: Config,
  ) {
    this.settings = this.defaults();
  }

  async onModuleInit(): Promise<void> {
    this.replicaBus.on('instance', () => this.reload());
    this.replicaBus.on('resync', () => this.reload());
    await this.reload();
  }

  get current(): Readonly<InstanceSettings> {
    return this.settings;
  }

  /** Whether single sign-on is enabled and fully configured. */
  get isSsoEnabled(): boolean {
    return this.settings.sso.enabled && isSsoComplete(this.settings.sso);
  }

  /** Whether single sign-on is enabled, fully configured and enforced (sso.md section 1). */
  get isSsoEnforced(): boolean {
    return this.isSsoEnabled && this.settings.sso.enforced;
  }

  /** Reads the stored settings from the database instead of this process's cache. */
  readStored(): Promise<InstanceSettings> {
    return this.read(this.database.manager);
  }

  /** Locks the stored settings against changes until `tx` ends, and returns them. */
  async lockAll(tx: Tx): Promise<InstanceSettings> {
    await tx.query('SELECT pg_advisory_xact_lock($1, $2)', CHANGE_LOCK);
    return this.read(tx);
  }

  /** Locks the settings against changes until `tx` ends, and returns one section. */
  async lockSection<S extends keyof InstanceSettings>(tx: Tx, section: S): Promise<InstanceSettings[S]> {
    return (await this.lockAll(tx))[section];
  }

  /**
   * Merges a change into one stored section and notifies all replicas after the commit. Members that were never set
   * keep following the environment.
   */
  async change<S extends keyof InstanceSettings>(
    tx: Tx,
    section: S,
    change: Partial<InstanceSettings[S]>,
  ): Promise<void> {
    await this.lockAll(tx);
    const stored = await tx.findOneBy(InstanceSetting, { name: section });
    const merged = { ...(stored?.value as object | undefined), ...change };
    await tx.upsert(InstanceSetting, { name: section, value: merged }, ['name']);
    await this.replicaBus.announce(tx, { topic: 'instance', data: {} });
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
    return this.reloads.run(async () => {
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
