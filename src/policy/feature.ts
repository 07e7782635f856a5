import type { DynamicModule, Type } from '@nestjs/common';
import type { EntitySchema, MigrationInterface } from 'typeorm';
import type { Config } from '../core/config/config.js';
import type { DeclaredSettings } from '../core/config/reader.js';
import type { FeatureNames } from '../core/merged.js';
import type { MetricDeclaration } from '../core/metric-declaration.js';
import type { BuiltInFacts, SecretBinding } from '../core/names.js';
import type { LocalizedText } from '../core/text/localized-text.js';
import type { ErasureDeclaration, ExportDeclaration } from './account-data.js';
import type { BuiltInMail, FeatureMail, MailFacts } from './feature-mail.js';
import type { HealthCheckDeclaration } from './health.js';
import type { JobDeclaration } from './jobs.js';
import type { LifecycleDeclarations, LifecycleType } from './lifecycle.js';
import type { ServicePolicyDeclaration } from './service-policy.js';

type FeatureModules = readonly (Type | DynamicModule)[];

/** Texts by language, or `null` if the pages contain them, as for built-in features. */
type Described = LocalizedText | null;

/** Options of a rate-limit bucket. */
export interface BucketOptions {
  /** If false, requests do not count against the global limit. Default: true. */
  readonly countsGlobally?: boolean;
  /**
   * Statuses of failures that do not count toward a ban of the IP address (contract/conventions.md section 9). Users do
   * not choose all URLs that their browsers load. Default: none.
   */
  readonly forgivenFailures?: 'all' | readonly number[];
}

/** A rate limit: requests per seconds. */
export type BucketDeclaration =
  | readonly [limit: number, seconds: number]
  | readonly [limit: number, seconds: number, options: BucketOptions];

/** An encrypted `bytea` column. Each value is bound to the key of its row. */
export interface EncryptedColumnDeclaration {
  readonly table: string;
  readonly column: string;
  /** The primary key, a single column. Default: `id`. */
  readonly key?: string;
}

/** An event of the gateway. Its docstring describes it in `/asyncapi.json`. */
export interface GatewayEventDeclaration<D = unknown> {
  /** Never set. It carries the type of the data for the compiler. */
  readonly data?: D;
}

/** Declares an event of the gateway whose data has the type `D`: `NOTES_CREATE: gatewayEvent<NoteView>()`. */
export const gatewayEvent = <D>(): GatewayEventDeclaration<D> => ({});

/** An event that leaves the service as a signed webhook. */
export interface OutgoingEventDeclaration<D = unknown> {
  /** The texts of the console, such as "A note was created." `null` if the pages contain them. */
  readonly words: Described;
  /** Never set. It carries the type of the data for the compiler. */
  readonly data?: D;
}

/** Declares an event for other services with data of the type `D`: `'notes.created': outgoingEvent<Note>({ ... })`. */
export const outgoingEvent = <D extends object>(words: Described): OutgoingEventDeclaration<D> => ({ words });

/** Everything that a feature declares. Names of a team's feature start with the name of the feature (docs/public.md). */
export interface FeatureDeclaration {
  /** Nest modules, or a function that chooses them by the settings. */
  readonly modules?: FeatureModules | ((config: Config) => FeatureModules);
  /** TypeORM entities. `migrations` create their tables. */
  readonly entities?: readonly (Type | EntitySchema)[];
  /** Migration classes, whose names end in a 13-digit timestamp. */
  readonly migrations?: readonly (new () => MigrationInterface)[];
  /** Classes made by `settings(...)`. They are read and validated with the built-in settings and injected by class. */
  readonly settings?: readonly DeclaredSettings[];
  /** Error codes: status and fixed message in English (contract/conventions.md section 5). */
  readonly errors?: Readonly<Record<string, readonly [status: number, message: string]>>;
  /** Error codes of single fields and their messages (contract/conventions.md section 6). */
  readonly fieldErrors?: Readonly<Record<string, string>>;
  /** Rate-limit buckets: requests per seconds (contract/conventions.md 7.3). */
  readonly buckets?: Readonly<Record<string, BucketDeclaration>>;
  /** OAuth2 scopes with the texts of the consent page, such as "See your notes". */
  readonly scopes?: Readonly<Record<string, Described>>;
  /** ACLs with the texts of the console, such as "Remove notes of others". */
  readonly acls?: Readonly<Record<string, Described>>;
  /** Actions of the audit log and the type of their target: `{ 'notes:remove': 'note' }`. */
  readonly auditActions?: Readonly<Record<string, string>>;
  /** Security events with the texts that the account owner reads, such as "A note was shared with everyone." */
  readonly securityEvents?: Readonly<Record<string, Described>>;
  /** Emails. The type of `sample` is the type of their facts. */
  readonly mails?: Readonly<Record<string, FeatureMail | BuiltInMail>>;
  /** Purposes of one-time secrets, each with what its secrets are bound to: `{ 'notes-invite': 'account' }`. */
  readonly secrets?: Readonly<Record<string, SecretBinding>>;
  /** Background jobs by name, such as `notes:remind`. `Jobs` enqueues them. */
  readonly jobs?: Readonly<Record<string, JobDeclaration>>;
  /** Events of the gateway, made by `gatewayEvent` (contract/gateway.md section 11). */
  readonly events?: Readonly<Record<string, GatewayEventDeclaration>>;
  /** Events for other services, made by `outgoingEvent`. Their types start with the name of the feature and a dot. */
  readonly outgoingEvents?: Readonly<Record<string, OutgoingEventDeclaration>>;
  /** Actions of the feature on events of an account: `{ registered: { inTransaction: Welcome } }`. */
  readonly lifecycle?: LifecycleDeclarations;
  /**
   * Health checks of dependencies, besides the database. The log, `gatehouse doctor` and a metric label contain the name:
   * lowercase letters, digits and hyphens.
   */
  readonly healthChecks?: Readonly<Record<string, HealthCheckDeclaration>>;
  /** Metrics by name, such as `notes_searches_total`. `Metrics` records their values. */
  readonly metrics?: Readonly<Record<string, MetricDeclaration>>;
  /** Policies that Gatehouse enforces for other services: `{ 'notes-read': { accepts: 'user' } }`. */
  readonly servicePolicies?: Readonly<Record<string, ServicePolicyDeclaration>>;
  /** Parts of the export of an account, by name. */
  readonly exports?: Readonly<Record<string, ExportDeclaration>>;
  /**
   * What happens to the rows of each table of the feature when their account is erased, in this order. A table of an
   * entity that is not listed stops the start.
   */
  readonly erasure?: Readonly<Record<string, ErasureDeclaration>>;
  /** Encrypted columns by the name that `gatehouse keys rotate` prints, such as "texts of notes". */
  readonly encryptedColumns?: Readonly<Record<string, EncryptedColumnDeclaration>>;
}

/** A feature: what it declares, and for the compiler the names in it. */
export interface Feature<N extends FeatureNames = FeatureNames> extends FeatureDeclaration {
  readonly name: string;
  /** Never set. It carries the names for the compiler. */
  readonly names?: N;
}

type Keys<D, K extends keyof FeatureDeclaration> = K extends keyof D ? keyof D[K] & string : never;

/** The payload of a job that has this declaration. A handler without a parameter takes `{}`. */
type PayloadOf<J> = J extends {
  readonly handler: new (...args: never[]) => { run(payload: infer P, ...rest: never[]): unknown };
}
  ? unknown extends P
    ? Record<string, never>
    : P
  : never;

type DataOf<E> = E extends GatewayEventDeclaration<infer D> ? D : never;

type OutgoingDataOf<E> = E extends OutgoingEventDeclaration<infer D> ? D : never;

type Facts<S> = { readonly [F in keyof S]: S[F] extends number ? number : string };

type FactsOfMail<M> =
  M extends BuiltInMail<infer F>
    ? BuiltInFacts<F>
    : M extends { readonly sample: infer S extends MailFacts }
      ? Facts<S>
      : MailFacts;

/** The names of a declaration by kind. */
export interface NamesIn<D extends FeatureDeclaration> extends FeatureNames {
  readonly errors: Keys<D, 'errors'>;
  readonly fieldErrors: Keys<D, 'fieldErrors'>;
  readonly buckets: Keys<D, 'buckets'>;
  readonly scopes: Keys<D, 'scopes'>;
  readonly acls: Keys<D, 'acls'>;
  readonly auditActions: Keys<D, 'auditActions'>;
  readonly securityEvents: Keys<D, 'securityEvents'>;
  readonly encryptedColumns: Keys<D, 'encryptedColumns'>;
  readonly jobs: D extends { readonly jobs: infer J } ? { readonly [T in keyof J]: PayloadOf<J[T]> } : object;
  readonly events: D extends { readonly events: infer E } ? { readonly [T in keyof E]: DataOf<E[T]> } : object;
  readonly outgoingEvents: D extends { readonly outgoingEvents: infer E }
    ? { readonly [T in keyof E]: OutgoingDataOf<E[T]> }
    : object;
  readonly secrets: D extends { readonly secrets: infer S extends object } ? S : object;
  readonly metrics: D extends { readonly metrics: infer M extends object } ? M : object;
  readonly mails: D extends { readonly mails: infer M } ? { readonly [T in keyof M]: FactsOfMail<M[T]> } : object;
}

/** Misspelled parts and lifecycle events, which no declaration may have. */
type Misspelled<D> = { readonly [K in Exclude<keyof D, keyof FeatureDeclaration>]: never } & (D extends {
  readonly lifecycle: infer L;
}
  ? string extends keyof L
    ? unknown
    : { readonly lifecycle: { readonly [K in Exclude<keyof L, LifecycleType>]: never } }
  : unknown);

/**
 * Declares a feature. Merge it into `Features`, so that the compiler knows its names:
 * `declare module '@gatehouse-auth/server' { interface Features { notes: typeof notes } }`.
 * @param name lower-case letters, digits and underscores; the prefix of all names that the feature adds
 */
export const defineFeature = <const D extends FeatureDeclaration>(
  name: string,
  declaration: D & Misspelled<D>,
): Feature<NamesIn<D>> => Object.freeze({ ...declaration, name });
