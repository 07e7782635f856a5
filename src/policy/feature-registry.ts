import type { Type } from '@nestjs/common';
import { DefaultNamingStrategy, EntitySchema, getMetadataArgsStorage } from 'typeorm';
import { type Setting, SettingsReader } from '../core/config/reader.js';
import { StartError } from '../core/config/start-error.js';
import { ApiError, type FieldError, fieldErrorsOf } from '../core/errors.js';
import { labelCombinations, type MetricDeclaration } from '../core/metric-declaration.js';
import type { SecretBinding } from '../core/names.js';
import { assertLocalizedText, type LocalizedText } from '../core/text/localized-text.js';
import { type Kind, RULES, type Rule, SQL_NAME, WORD } from '../core/text/name-rules.js';
import { suggest } from '../core/text/similar.js';
import type { ErasureDeclaration, ExportDeclaration } from './account-data.js';
import type {
  BucketDeclaration,
  EncryptedColumnDeclaration,
  Feature,
  FeatureDeclaration,
  GatewayEventDeclaration,
  OutgoingEventDeclaration,
} from './feature.js';
import type { BuiltInMail, FeatureMail } from './feature-mail.js';
import type { HealthCheckDeclaration } from './health.js';
import { type JobDeclaration, jobFaults } from './jobs.js';
import { LIFECYCLE_TYPES, type LifecycleType, REFUSABLE_EVENTS } from './lifecycle.js';
import { RESERVED_FEATURE_NAMES } from './reserved-names.js';
import {
  findServicePolicyFaults,
  type ServicePolicyDeclaration,
  servicePolicyBucket,
  servicePolicyLimit,
} from './service-policy.js';

type Table = { readonly [K in keyof FeatureDeclaration]-?: NonNullable<FeatureDeclaration[K]> };
/** The status and the body of an error response (contract/conventions.md section 5). */
export interface ErrorResponse {
  readonly status: number;
  readonly message: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const MAX_SERIES = 1000;

/** What is wrong with a metric of an extension. Its labels have known values, so that none is an ID or a secret. */
/** Labels that Prometheus adds to each series. It would rename a label of the metric. */
const TARGET_LABELS: ReadonlySet<string> = new Set(['job', 'instance']);

function metricFaults(declaration: MetricDeclaration): string[] {
  const { labels = {} } = declaration;
  const faults = Object.entries(labels).flatMap(([label, values]) => [
    ...(WORD.test(label)
      ? []
      : [`${JSON.stringify(label)} is not a valid label. Use lower-case letters, digits and _`]),
    ...(TARGET_LABELS.has(label) ? [`the label ${label} is reserved for Prometheus. Use another name`] : []),
    ...(values === 'any' ? [`list all values of the label ${label}`] : []),
  ]);
  if (labelCombinations(labels).length > MAX_SERIES)
    faults.push(`it has more than ${MAX_SERIES} series. Use fewer labels or values`);
  if (declaration.type === 'histogram') {
    const { buckets } = declaration;
    const isAscending = buckets.every((bound, index) => index === 0 || bound > (buckets[index - 1] as number));
    if (buckets.length === 0 || !isAscending) faults.push('list its buckets in ascending order');
  }
  return faults;
}

/** Whether the texts are part of the service, which only built-in features can declare. */
const lacksText = (row: unknown): boolean =>
  row === null || (typeof row === 'object' && ('render' in row || ('words' in row && row.words === null)));

const naming = new DefaultNamingStrategy();

/** The name of the table of an entity. */
function tableOf(entity: Type | EntitySchema): string {
  if (entity instanceof EntitySchema) return naming.tableName(entity.options.name, entity.options.tableName);
  return naming.tableName(entity.name, getMetadataArgsStorage().tables.find(({ target }) => target === entity)?.name);
}

/** How to fix a table that no feature lists in `erasure`. */
export const undeclaredTableFault = (table: string): string =>
  `the table ${table} is not in \`erasure\`. Declare there what happens to its rows when an account is erased`;

/** The documentation of the settings of a feature, by name. */
function settingsOf({ name, settings = [] }: Feature, faults: string[]): Readonly<Record<string, Setting>> {
  try {
    const reader = new SettingsReader({});
    return Object.fromEntries(settings.flatMap((one) => reader.settingsOf(one)).map((one) => [one.name, one]));
  } catch (error) {
    faults.push(
      `${name}: reading the settings without environment variables failed: ${(error as Error).message}. Give each a default`,
    );
    return {};
  }
}

/** @throws StartError with one line for each fault */
export function assertNoFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new StartError(`Invalid features:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
}

const isText = (value: LocalizedText | null): value is LocalizedText => value !== null;

/**
 * What all features of one application declare. It is filled before the routes are checked and never changes
 * afterwards.
 */
export class FeatureRegistry {
  readonly features: readonly Feature[];
  readonly extensionFeatures: readonly Feature[];
  readonly settings = new Map<string, Setting>();
  readonly errors = new Map<string, readonly [status: number, message: string]>();
  readonly fieldErrors = new Map<string, string>();
  readonly buckets = new Map<string, BucketDeclaration>();
  readonly scopes = new Map<string, LocalizedText | null>();
  readonly acls = new Map<string, LocalizedText | null>();
  readonly auditActions = new Map<string, string>();
  readonly securityEvents = new Map<string, LocalizedText | null>();
  readonly mails = new Map<string, FeatureMail | BuiltInMail>();
  readonly secrets = new Map<string, SecretBinding>();
  readonly jobs = new Map<string, JobDeclaration>();
  readonly healthChecks = new Map<string, HealthCheckDeclaration>();
  readonly metrics = new Map<string, MetricDeclaration>();
  readonly events = new Map<string, GatewayEventDeclaration>();
  readonly outgoingEvents = new Map<string, OutgoingEventDeclaration>();
  readonly servicePolicies = new Map<string, ServicePolicyDeclaration>();
  /** The feature or file that declares each service policy. */
  readonly servicePolicySources = new Map<string, string>();
  readonly exports = new Map<string, ExportDeclaration>();
  readonly erasure = new Map<string, ErasureDeclaration>();
  readonly encryptedColumns = new Map<string, EncryptedColumnDeclaration>();

  /** The feature of each name, by kind and name. */
  private readonly owners = new Map<string, string>();

  /**
   * @param builtIn features of the service
   * @param ofTeam features of an extension, whose names need the prefix of their feature
   * @param ofOperator the service policies of a file, with the name of the file
   * @throws StartError if a name is invalid, declared twice, or lacks the prefix of its feature
   */
  constructor(builtIn: readonly Feature[], ofTeam: readonly Feature[] = [], ofOperator?: Feature) {
    const faults: string[] = [];
    const names = new Set<string>();
    for (const { name } of [...builtIn, ...ofTeam]) {
      if (names.has(name)) faults.push(`two features have the name ${name}. Rename one`);
      names.add(name);
    }
    for (const { name } of ofTeam) {
      if (!WORD.test(name))
        faults.push(`${JSON.stringify(name)} is not a valid feature name. Use lower-case letters, digits and _`);
      if (RESERVED_FEATURE_NAMES.includes(name.split('_')[0] ?? '')) {
        faults.push(`the feature name ${name} is reserved. Choose one that starts with another word`);
      }
    }
    for (const feature of builtIn) this.add(feature, false, faults);
    for (const feature of ofTeam) this.add(feature, true, faults);
    if (ofOperator) this.add(ofOperator, false, faults);
    this.addServicePolicyBuckets(ofOperator ? [...builtIn, ...ofTeam, ofOperator] : [...builtIn, ...ofTeam], faults);
    for (const { name, entities = [], erasure = {}, encryptedColumns = {}, metrics = {} } of ofTeam) {
      for (const [metric, declaration] of Object.entries(metrics))
        faults.push(...metricFaults(declaration).map((fault) => `${name}: the metric ${metric}: ${fault}`));
      const tables = [...entities.map(tableOf), ...Object.values(encryptedColumns).map(({ table }) => table)];
      const undeclared = [...new Set(tables)].filter((table) => !Object.hasOwn(erasure, table));
      faults.push(...undeclared.map((table) => `${name}: ${undeclaredTableFault(table)}`));
    }
    this.checkValues(faults);
    for (const feature of [...builtIn, ...ofTeam]) {
      const { name, lifecycle = {} } = feature;
      for (const [event, { afterCommit, rejectsWith = [], required }] of Object.entries(lifecycle)) {
        if (!LIFECYCLE_TYPES.includes(event as LifecycleType))
          faults.push(`${name}: lifecycle.${event} is not an event${suggest(event, LIFECYCLE_TYPES)}`);
        if (required && ofTeam.includes(feature))
          faults.push(`${name}: only built-in features may require that ${event} is handled: use inTransaction`);
        if (afterCommit !== undefined && !this.jobs.has(afterCommit))
          faults.push(`${name}: lifecycle.${event} names the unknown job ${afterCommit}. Declare it in jobs`);
        if (rejectsWith.length > 0 && !REFUSABLE_EVENTS.has(event as LifecycleType))
          faults.push(
            `${name}: lifecycle.${event} has rejectsWith, but its operation cannot be rejected. Remove rejectsWith`,
          );
        const unknown = rejectsWith.filter((code) => !this.errors.has(code));
        faults.push(
          ...unknown.map(
            (code) => `${name}: lifecycle.${event} names the unknown error code ${code}. Declare it in errors`,
          ),
        );
      }
    }
    assertNoFaults(faults);
    this.features = [...builtIn, ...ofTeam];
    this.extensionFeatures = ofTeam;
  }

  private add(feature: Feature, isOfTeam: boolean, faults: string[]): void {
    for (const [kind, rule] of Object.entries(RULES) as [Kind, Rule][]) {
      const table = this[kind] as Map<string, unknown>;
      const rows = kind === 'settings' ? settingsOf(feature, faults) : (feature[kind] ?? {});
      for (const [name, row] of Object.entries(rows as Table[Kind])) {
        const label = `${feature.name}: the ${rule.what} ${JSON.stringify(name)}`;
        const prefix = isOfTeam ? rule.prefix?.(feature.name) : undefined;
        if (!rule.shape.test(name)) faults.push(`${label} is not a valid name. ${rule.form}`);
        else if (table.has(name))
          faults.push(`${label} exists already in the feature ${this.owners.get(`${kind} ${name}`)}. Rename it`);
        else if (prefix && !name.startsWith(prefix) && !(rule.allowsFeatureName && name === feature.name))
          faults.push(`${label} must start with ${prefix}`);
        else if (isOfTeam && lacksText(row)) faults.push(`${label} needs a text. Set it instead of null`);
        else {
          table.set(name, row);
          this.owners.set(`${kind} ${name}`, feature.name);
        }
      }
    }
  }

  private addServicePolicyBuckets(features: readonly Feature[], faults: string[]): void {
    for (const [name, declaration] of this.servicePolicies) {
      const source = features.find(({ servicePolicies = {} }) => Object.hasOwn(servicePolicies, name))?.name ?? '';
      this.servicePolicySources.set(name, source);
      const wrong = findServicePolicyFaults(declaration);
      faults.push(...wrong.map((fault) => `${source}: the service policy ${JSON.stringify(name)} ${fault}`));
      if (wrong.length > 0) continue;
      const [requests, seconds] = servicePolicyLimit(declaration);
      this.buckets.set(servicePolicyBucket(name), [requests, seconds, { countsGlobally: false }]);
    }
  }

  private checkValues(faults: string[]): void {
    const attempt = (check: () => void) => {
      try {
        check();
      } catch (error) {
        faults.push((error as Error).message);
      }
    };
    for (const [code, [status]] of this.errors) {
      if (!Number.isInteger(status) || status < 400 || status > 599)
        faults.push(`the error code ${code} has the status ${status}. Use one from 400 to 599`);
    }
    for (const [name, [limit, seconds]] of this.buckets) {
      if (!(limit > 0 && seconds > 0)) faults.push(`the bucket ${name}: requests and seconds must be positive`);
    }
    for (const [action, target] of this.auditActions) {
      if (!WORD.test(target))
        faults.push(
          `the audit action ${action}: ${JSON.stringify(target)} is not a valid target type. Use lower-case letters, digits and _`,
        );
    }
    for (const kind of ['scopes', 'acls', 'securityEvents'] as const) {
      for (const [name, text] of this[kind]) {
        if (text !== null) attempt(() => assertLocalizedText(`the ${RULES[kind].what} ${name}`, text));
      }
    }
    for (const [type, { words }] of this.outgoingEvents) {
      if (words !== null) attempt(() => assertLocalizedText(`the ${RULES.outgoingEvents.what} ${type}`, words));
    }
    for (const [name, job] of this.jobs) faults.push(...jobFaults(job).map((fault) => `the job ${name}: ${fault}`));
    for (const [table, declaration] of this.erasure) {
      if ('deletedWith' in declaration && !this.erasure.has(declaration.deletedWith))
        faults.push(
          `the table ${table}: deletedWith names the unknown table ${declaration.deletedWith}. List it in erasure`,
        );
      if ('column' in declaration && !SQL_NAME.test(declaration.column))
        faults.push(`the table ${table}: column must be an SQL name without quotes`);
    }
    const columns = new Set<string>();
    for (const [name, { table, column, key = 'id' }] of this.encryptedColumns) {
      const isPlain = [table, column, key].every((identifier) => SQL_NAME.test(identifier));
      if (!isPlain) faults.push(`the encrypted column ${name}: table, column and key must be SQL names without quotes`);
      const place = `${table}.${column}`;
      if (columns.has(place)) faults.push(`the encrypted column ${name}: ${place} is declared twice. Remove one`);
      columns.add(place);
    }
  }

  /** Error codes with which subscribers may reject the operation of one of these lifecycle events. */
  rejectionsOf(types: readonly LifecycleType[]): readonly string[] {
    return this.features.flatMap(({ lifecycle = {} }) => types.flatMap((type) => lifecycle[type]?.rejectsWith ?? []));
  }

  /** The texts that features bring, by name. Those of built-in names are part of the pages. */
  textsOf(kind: 'scopes' | 'acls'): Readonly<Record<string, LocalizedText>> {
    return Object.fromEntries([...this[kind]].filter((entry): entry is [string, LocalizedText] => isText(entry[1])));
  }

  /** Sorts ACLs into the order of the registry; unknown ones last. */
  sortAcls(list: readonly string[]): string[] {
    return [...[...this.acls.keys()].filter((acl) => list.includes(acl)), ...list.filter((acl) => !this.acls.has(acl))];
  }

  /** Sorts scopes into the order of the registry, without those that no feature declares any more. */
  sortScopes(list: readonly string[]): string[] {
    return [...this.scopes.keys()].filter((scope) => list.includes(scope));
  }

  /**
   * Splits a scope parameter on spaces and `+` and sorts it into the order of the registry. Returns `null` if a scope is
   * unknown or none is given.
   */
  parseScopes(text: string): string[] | null {
    const named = new Set(text.split(/[ +]/).filter((scope) => scope !== ''));
    if (named.size === 0 || [...named].some((scope) => !this.scopes.has(scope))) return null;
    return [...this.scopes.keys()].filter((scope) => named.has(scope));
  }

  /**
   * Returns the error. If no feature declares its code, it has neither a status nor a text, so the response is 500, and
   * the log names the code.
   */
  requireDeclared(error: ApiError): ApiError {
    const unknownField = fieldErrorsOf(error).find(({ code }) => !this.fieldErrors.has(code))?.code;
    if (this.errors.has(error.code) && unknownField === undefined) return error;
    const [what, list] = unknownField ? ['field code', 'fieldErrors'] : ['error code', 'errors'];
    const fix = `Declare it in ${list} of a feature, and list the feature in features of the extension`;
    return new ApiError('INTERNAL_SERVER_ERROR').withCause(
      new Error(`No feature declares the ${what} ${unknownField ?? error.code}. ${fix}`),
    );
  }

  /** The response to an error: the status and the texts that its feature declares. */
  describe(error: ApiError): ErrorResponse {
    const [status, message] = this.errors.get(error.code) ?? [500, ''];
    const { errors, ...extra } = error.extra as { readonly errors?: readonly FieldError[] };
    const body: Record<string, unknown> = { code: error.code, message, ...extra };
    if (errors)
      body.errors = errors.map(({ path, code }) => ({ path, code, message: this.fieldErrors.get(code) ?? '' }));
    return { status: error.statusOverride ?? status, message, body };
  }
}
