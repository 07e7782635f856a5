import { Injectable } from '@nestjs/common';
import { AccountRecords } from '../../accounts/account-records.service.js';
import { CallerGuard } from '../../auth/sessions/caller-guard.service.js';
import {
  changesTrust,
  readSsoSection,
  SsoConfiguration,
  type StoredSsoChange,
} from '../../auth/sso/sso-configuration.service.js';
import { ApiError, type FieldFault } from '../../core/errors.js';
import { validateShape } from '../../http/input.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { Instance, type InstanceSettings } from '../../platform/instance/instance.js';
import { AuditLog } from '../audit/audit.service.js';
import type { Operator } from '../audit/operator.js';
import {
  BrandingSection,
  type InstanceConfigInput,
  LegalSection,
  PublicSections,
  RegistrationSection,
} from './instance.dto.js';

/** The requested changes of one section, by the names of the settings. */
interface SectionChange<S extends keyof InstanceSettings = keyof InstanceSettings> {
  readonly section: S;
  /** Path of the section in the configuration. */
  readonly path: string;
  /** Setting and value by the name of the member in the request. */
  readonly members: Readonly<Record<string, readonly [setting: string, value: unknown]>>;
}

/** Validates sections and collects their faults with the path of the section. */
class SectionReader {
  readonly faults: FieldFault[] = [];

  read<T extends object>(shape: new () => T, value: object | undefined, path: string): T {
    const { instance, faults } = validateShape(shape, value ?? {});
    this.faults.push(...faults.map((fault) => ({ ...fault, path: `${path}.${fault.path}` })));
    return instance;
  }
}

const withoutUndefined = (members: Record<string, readonly [string, unknown]>) =>
  Object.fromEntries(Object.entries(members).filter(([, [, value]]) => value !== undefined));

/** @throws ApiError FV(<section>.<member>: ...) with all invalid members */
function readSectionChanges(input: InstanceConfigInput): SectionChange[] {
  const reader = new SectionReader();
  const registration = reader.read(RegistrationSection, input.registration, 'registration');
  const { branding, legal } = reader.read(PublicSections, input.app_public, 'app_public');
  const { product_name } = reader.read(BrandingSection, objectOrUndefined(branding), 'app_public.branding');
  const { terms_url, privacy_url } = reader.read(LegalSection, objectOrUndefined(legal), 'app_public.legal');
  if (reader.faults.length > 0) throw new ApiError('INVALID_FORM_BODY', { errors: reader.faults });
  return [
    {
      section: 'registration',
      path: 'registration',
      members: withoutUndefined({
        mode: ['mode', registration.mode],
        hide_existing_accounts: ['hideExistingAccounts', registration.hide_existing_accounts],
        initial_suspicious_flags: ['initialSuspiciousFlags', registration.initial_suspicious_flags],
      }),
    },
    {
      section: 'branding',
      path: 'app_public.branding',
      members: withoutUndefined({ product_name: ['productName', product_name] }),
    },
    {
      section: 'legal',
      path: 'app_public.legal',
      members: withoutUndefined({ terms_url: ['termsUrl', terms_url], privacy_url: ['privacyUrl', privacy_url] }),
    },
  ];
}

/** A section that is not an object already has its own fault and no members. */
const objectOrUndefined = (value: unknown): object | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;

type InstanceConfigView = Awaited<ReturnType<InstanceConfig['show']>>;

/** The configuration and the number of administrator links that a new provider invalidated. */
export type ChangedInstanceConfig = InstanceConfigView & { readonly voided_admin_links?: number };

/** Reads and changes the configuration of the instance for administrators (admin.md section 9). */
@Injectable()
export class InstanceConfig {
  constructor(
    private readonly database: Database,
    private readonly instance: Instance,
    private readonly records: AccountRecords,
    private readonly callerGuard: CallerGuard,
    private readonly audit: AuditLog,
    private readonly sso: SsoConfiguration,
  ) {}

  async show() {
    const { registration, branding, legal } = this.instance.current;
    return {
      sso: this.sso.view(),
      registration: {
        mode: registration.mode,
        hide_existing_accounts: registration.hideExistingAccounts,
        initial_suspicious_flags: registration.initialSuspiciousFlags,
      },
      app_public: {
        branding: { product_name: branding.productName },
        legal: { terms_url: legal.termsUrl, privacy_url: legal.privacyUrl },
        setup: { configured: await this.records.hasAdministrator() },
      },
    };
  }

  /**
   * Applies all changes or none. Absent members keep their values. A change of the identity provider requires `*`,
   * because an attacker who controls the provider can sign in as any user.
   * @throws ApiError FV(<section>.<member>: ...), MISSING_ACL
   */
  async change(by: Operator, input: InstanceConfigInput): Promise<ChangedInstanceConfig> {
    const changes = readSectionChanges(input);
    const section = input.sso === undefined ? null : readSsoSection(input.sso);
    if (section && changesTrust(section) && !by.holds('*')) throw new ApiError('MISSING_ACL');
    const sso = section && (await this.sso.check(section));
    const voided = await this.database.transaction(async (tx) => {
      if (by.identity) await this.callerGuard.lockCaller(tx, by.identity);
      const before = await this.instance.lockAll(tx);
      const { changed, voidedLinks }: StoredSsoChange = sso ? await this.sso.store(tx, sso) : { changed: [] };
      for (const change of changes) changed.push(...(await this.applyChange(tx, change, before)));
      const voided: Record<string, number> = voidedLinks === undefined ? {} : { voided_admin_links: voidedLinks };
      await this.audit.record(tx, by, {
        action: 'update_instance_config',
        target: { type: 'instance' },
        metadata: { changed, ...voided },
      });
      return voided;
    });
    return { ...(await this.show()), ...voided };
  }

  /** Turns off the enforcement of single sign-on for operators who have lost access to their identity provider. */
  async liftSsoEnforcement(by: Operator): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.sso.liftEnforcement(tx);
      await this.audit.record(tx, by, {
        action: 'update_instance_config',
        target: { type: 'instance' },
        metadata: { changed: ['sso.enforced'] },
      });
    });
  }

  /** Stores the members that differ and returns their names. */
  private async applyChange(
    tx: Tx,
    { section, path, members }: SectionChange,
    before: InstanceSettings,
  ): Promise<string[]> {
    const known: Readonly<Record<string, unknown>> = { ...before[section] };
    const differing = Object.entries(members).filter(([, [setting, value]]) => !isEqual(known[setting], value));
    if (differing.length === 0) return [];
    await this.instance.change(tx, section, Object.fromEntries(differing.map(([, member]) => member)));
    return differing.map(([name]) => `${path}.${name}`);
  }
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
