import ipaddr from 'ipaddr.js';
import { countCodePoints, isOneLine } from '../text/text.js';

export type Cidr = [ipaddr.IPv4 | ipaddr.IPv6, number];
export type Env = Readonly<Record<string, string | undefined>>;

/** The documentation of one setting. */
export interface Setting {
  readonly section: string;
  readonly name: string;
  /** The description. */
  readonly about: string;
  /** The default as users would write it; empty if there is none or if it depends on other settings. */
  readonly fallback: string;
  /** Whether the value is secret. */
  readonly secret: boolean;
}

/** A settings class of a feature. `loadConfig` reads its values, and they are injected in place of the class. */
export interface DeclaredSettings<T extends object = object> {
  readonly name: string;
  read(reader: SettingsReader): T;
}

/** Documentation overrides for a setting. */
export interface SettingDocumentation {
  /** The documented default, if the real default depends on the machine or on other settings. */
  readonly shown?: string;
  readonly secret?: boolean;
}

/**
 * Reads settings from an environment, each with its description, and collects errors. Ignores white space around
 * values. An empty value counts as unset.
 */
export class SettingsReader {
  /** @internal */
  readonly faults: string[] = [];
  /** The settings that a second class reads, with the fix. @internal */
  readonly clashes: string[] = [];
  private readonly known = new Map<string, Setting>();
  private readonly values = new Map<DeclaredSettings, object>();
  private readonly owners = new Map<string, DeclaredSettings | undefined>();
  private current: DeclaredSettings | undefined;
  /** The names of settings by the values that no other setting may have. */
  private readonly unshared = new Map<string, string>();
  private title = '';

  constructor(private readonly env: Env) {}

  /** All settings that were read, in that order. @internal */
  get settings(): readonly Setting[] {
    return [...this.known.values()];
  }

  /** The settings that a class reads itself, without those of other classes that it depends on. @internal */
  settingsOf(declared: DeclaredSettings): readonly Setting[] {
    this.of(declared);
    return this.settings.filter(({ name }) => this.owners.get(name) === declared);
  }

  /** Sets the documentation section of the settings that are read next. @internal */
  section(title: string): void {
    this.title = title;
  }

  /** The values of a settings class, such as another one that a default depends on. They are read once. @internal */
  of<T extends object>(declared: DeclaredSettings<T>): T {
    const known = this.values.get(declared) as T | undefined;
    if (known) return known;
    const { title, current } = this;
    this.current = declared;
    const values = declared.read(this);
    Object.assign(this, { title, current });
    this.values.set(declared, values);
    return values;
  }

  /** The raw value of a setting, without adding it to the documentation. */
  peek(name: string): string | undefined {
    const value = this.env[name]?.trim();
    return value === '' ? undefined : value;
  }

  fault(name: string, rule: string): void {
    this.faults.push(`${name} ${rule}`);
  }

  text(name: string, about: string, { shown = '', secret = false }: SettingDocumentation = {}): string | undefined {
    const owner = this.owners.get(name);
    if (owner && this.current && owner !== this.current)
      this.clashes.push(
        `${this.current.name} declares the setting ${name}, which ${owner.name} declares already. Rename it, and begin it with the name of its feature, such as NOTES_${name}`,
      );
    this.owners.set(name, this.current);
    this.known.set(name, { section: this.title, name, about, fallback: shown, secret });
    return this.peek(name);
  }

  /** Reads a secret value. */
  secret(name: string, about: string): string | undefined {
    return this.text(name, about, { secret: true });
  }

  /** Rejects secrets that another setting also has, because a leak in one place must not affect another. @internal */
  rejectShared(...names: readonly string[]): void {
    for (const name of names) {
      for (const value of new Set(splitList(this.peek(name)))) {
        const other = this.unshared.get(value);
        if (other !== undefined) this.fault(name, `must differ from ${other}`);
        else this.unshared.set(value, name);
      }
    }
  }

  /** Reads a one-line text that is shown to users in pages, emails and messages. */
  name(name: string, about: string, max = 64, documentation?: SettingDocumentation): string | undefined {
    const value = this.text(name, about, documentation);
    if (value === undefined || (isOneLine(value) && countCodePoints(value) <= max)) return value;
    this.fault(name, `must be one line of at most ${max} characters`);
    return undefined;
  }

  choice<const T extends string>(
    name: string,
    about: string,
    choices: readonly T[],
    fallback: NoInfer<T>,
    documentation?: SettingDocumentation,
  ): T {
    const value = this.text(name, about, { shown: fallback, ...documentation });
    if (value === undefined) return fallback;
    const found = choices.find((choice) => choice === value);
    if (!found) this.fault(name, `must be one of ${choices.join(', ')}`);
    return found ?? fallback;
  }

  onOff(name: string, about: string, fallback: boolean, documentation?: SettingDocumentation): boolean {
    return this.choice(name, about, ['on', 'off'], fallback ? 'on' : 'off', documentation) === 'on';
  }

  bool(name: string, about: string, fallback: boolean, documentation?: SettingDocumentation): boolean {
    return this.choice(name, about, ['true', 'false'], fallback ? 'true' : 'false', documentation) === 'true';
  }

  int(
    name: string,
    about: string,
    fallback: number,
    [min, max]: readonly [number, number],
    documentation?: SettingDocumentation,
  ): number {
    const value = this.text(name, about, { shown: String(fallback), ...documentation });
    // A default that the documentation describes in another way, such as "off", has its own meaning.
    if (documentation?.shown === undefined && (fallback < min || fallback > max))
      this.clashes.push(
        `The default ${fallback} of the setting ${name} is not from ${min} to ${max}. Correct the default or the limits`,
      );
    if (value === undefined) return fallback;
    if (/^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    this.fault(name, `must be a whole number from ${min} to ${max}`);
    return fallback;
  }

  list(name: string, about: string, documentation?: SettingDocumentation): string[] {
    return this.parseItems(name, this.text(name, about, documentation));
  }

  /** Rejects a list of only commas, which would silently disable the feature that the list configures. */
  private parseItems(name: string, value: string | undefined): string[] {
    const items = splitList(value);
    if (value !== undefined && items.length === 0) this.fault(name, 'must have at least one item');
    return items;
  }

  url(name: string, about: string, fallback: string, protocols: string[], documentation?: SettingDocumentation): string;
  url(
    name: string,
    about: string,
    fallback: undefined,
    protocols: string[],
    documentation?: SettingDocumentation,
  ): string | undefined;
  url(
    name: string,
    about: string,
    fallback: string | undefined,
    protocols: string[],
    documentation?: SettingDocumentation,
  ): string | undefined {
    const value = this.text(name, about, { shown: fallback ?? '', ...documentation });
    if (value === undefined) return fallback;
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/$/, '');
    this.fault(name, `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    return fallback;
  }

  origin(name: string, about: string, fallback: string): string {
    const value = this.url(name, about, fallback, ['http:', 'https:']);
    if (new URL(value).origin !== value) {
      this.fault(name, 'must be an origin: scheme, host and optional port, without a path');
      return fallback;
    }
    return value;
  }

  /** @param others other values that the list may contain, and their name in the error message */
  origins(name: string, about: string, others?: { readonly form: RegExp; readonly named: string }): string[] {
    const origins = this.list(name, about);
    const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text;
    if (!origins.every((origin) => isOrigin(origin) || others?.form.test(origin))) {
      this.fault(name, `must be a list of origins${others ? ` or ${others.named}` : ''}`);
    }
    return origins;
  }

  cidrs(name: string, about: string, documentation?: SettingDocumentation, fallback?: string): Cidr[] {
    return this.parseItems(name, this.text(name, about, documentation) ?? fallback).flatMap((item) => {
      try {
        if (item.includes('/')) return [ipaddr.parseCIDR(item)];
        const address = ipaddr.parse(item);
        return [[address, address.kind() === 'ipv4' ? 32 : 128] as Cidr];
      } catch {
        this.fault(name, 'must be a list of IP addresses or CIDR ranges');
        return [];
      }
    });
  }
}

/** Splits a comma-separated list into its items. */
export const splitList = (value: string | undefined): string[] =>
  (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Makes secret members non-enumerable, so that neither `JSON.stringify` nor a log or terminal shows them. */
export function hideMembers<T extends object>(settings: T, ...names: (keyof T)[]): T {
  for (const name of names) Object.defineProperty(settings, name, { enumerable: false });
  return settings;
}
