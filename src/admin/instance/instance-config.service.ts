import { Injectable } from '@nestjs/common';
import { AccountRecords } from '../../accounts/account-records.service.js';
import { Standing } from '../../auth/sessions/standing.service.js';
import {
  concernsTrust,
  readSsoSection,
  SsoConfiguration,
  type StoredSsoChange,
} from '../../auth/sso/sso-configuration.service.js';
import { type FieldError, Refusal } from '../../core/errors.js';
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

/** What a PATCH asks of one section: members by the names of the settings. */
interface Wish<S extends keyof InstanceSettings = keyof InstanceSettings> {
  readonly section: S;
  /** Where the section stands in the configuration. */
  readonly path: string;
  /** Setting and value, by the member that was sent. */
  readonly members: Readonly<Record<string, readonly [setting: string, value: unknown]>>;
}

/** Reads a section member by member; its faults are collected under the section's path. */
class SectionReader {
  readonly faults: FieldError[] = [];

  read<T extends object>(shape: new () => T, value: object | undefined, path: string): T {
    const { instance, faults } = validateShape(shape, value ?? {});
    this.faults.push(...faults.map((fault) => ({ ...fault, path: `${path}.${fault.path}` })));
    return instance;
  }
}

const only = (members: Record<string, readonly [string, unknown]>) =>
  Object.fromEntries(Object.entries(members).filter(([, [, value]]) => value !== undefined));

/** @throws Refusal FV(<section>.<member>: ...) for every faulty member at once */
function wishesOf(input: InstanceConfigInput): Wish[] {
  const reader = new SectionReader();
  const registration = reader.read(RegistrationSection, input.registration, 'registration');
  const { branding, legal } = reader.read(PublicSections, input.app_public, 'app_public');
  const { product_name } = reader.read(BrandingSection, isObject(branding), 'app_public.branding');
  const { terms_url, privacy_url } = reader.read(LegalSection, isObject(legal), 'app_public.legal');
  if (reader.faults.length > 0) throw new Refusal('INVALID_FORM_BODY', { errors: reader.faults });
  return [
    {
      section: 'registration',
      path: 'registration',
      members: only({
        mode: ['mode', registration.mode],
        hide_existing_accounts: ['hideExistingAccounts', registration.hide_existing_accounts],
        initial_suspicious_flags: ['initialSuspiciousFlags', registration.initial_suspicious_flags],
      }),
    },
    {
      section: 'branding',
      path: 'app_public.branding',
      members: only({ product_name: ['productName', product_name] }),
    },
    {
      section: 'legal',
      path: 'app_public.legal',
      members: only({ terms_url: ['termsUrl', terms_url], privacy_url: ['privacyUrl', privacy_url] }),
    },
  ];
}

/** A section that is no object has a fault of its own already, and no members. */
const isObject = (value: unknown): object | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;

type InstanceConfigView = Awaited<ReturnType<InstanceConfig['show']>>;

/** With the links to administrators that a new provider voided. */
export type ChangedInstanceConfig = InstanceConfigView & { readonly voided_admin_links?: number };

/** The configuration of the instance, as administrators read and change it (admin.md section 9). */
@Injectable()
export class InstanceConfig {
  constructor(
    private readonly database: Database,
    private readonly instance: Instance,
    private readonly records: AccountRecords,
    private readonly standing: Standing,
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
   * All of it or nothing; absent members keep what they are. Whoever may name the provider may be anybody: that takes the
   * wildcard.
   * @throws Refusal FV(<section>.<member>: ...), MISSING_ACL
   */
  async change(by: Operator, input: InstanceConfigInput): Promise<ChangedInstanceConfig> {
    const wishes = wishesOf(input);
    const section = input.sso === undefined ? null : readSsoSection(input.sso);
    if (section && concernsTrust(section) && !by.holds('*')) throw new Refusal('MISSING_ACL');
    const sso = section && (await this.sso.check(section));
    const voided = await this.database.transaction(async (tx) => {
      if (by.identity) await this.standing.hold(tx, by.identity);
      const before = await this.instance.hold(tx);
      const { changed, voidedLinks }: StoredSsoChange = sso ? await this.sso.store(tx, sso) : { changed: [] };
      for (const wish of wishes) changed.push(...(await this.fulfil(tx, wish, before)));
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

  /** The way out for operators whose provider is lost. */
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

  /** Stores what differs and answers the names of those members. */
  private async fulfil(tx: Tx, { section, path, members }: Wish, before: InstanceSettings): Promise<string[]> {
    const known = before[section] as unknown as Record<string, unknown>;
    const differing = Object.entries(members).filter(([, [setting, value]]) => !isEqual(known[setting], value));
    if (differing.length === 0) return [];
    await this.instance.change(tx, section, Object.fromEntries(differing.map(([, member]) => member)));
    return differing.map(([name]) => `${path}.${name}`);
  }
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
