import type { FeatureNames, Features, SecretPayloads } from './merged.js';

type NamesOf<F> = F extends { readonly names?: infer N extends FeatureNames } ? N : never;

type NamedKind = Exclude<keyof FeatureNames, 'mails' | 'secrets' | 'jobs' | 'events' | 'outgoingEvents' | 'metrics'>;

/** A name of one kind that some feature declares, such as `NameOf<'scopes'>`. */
export type NameOf<K extends NamedKind> = {
  [F in keyof Features]: NamesOf<Features[F]>[K];
}[keyof Features];

type MailsOf<F> = NamesOf<F>['mails'];

/** The facts of a built-in email, which only the service sends. */
export interface BuiltInFacts<F extends object> {
  readonly builtIn: F;
}

type Sendable<M> = { [T in keyof M]: M[T] extends BuiltInFacts<object> ? never : T & string }[keyof M];

/** The type of an email that a feature of an extension declares. */
export type ExtensionMailType = { [F in keyof Features]: Sendable<MailsOf<Features[F]>> }[keyof Features];

/** The facts of an email of an extension. */
export type ExtensionMailFacts<T extends string> = Exclude<
  { [F in keyof Features]: T extends keyof MailsOf<Features[F]> ? MailsOf<Features[F]>[T] : never }[keyof Features],
  BuiltInFacts<object>
>;

/** The type of an email that any feature declares. */
export type MailType = { [F in keyof Features]: keyof MailsOf<Features[F]> & string }[keyof Features];

type Unwrapped<F> = F extends BuiltInFacts<infer B> ? B : F & object;

/** The facts of an email of any feature. */
export type FactsOfMail<T extends string> = {
  [F in keyof Features]: T extends keyof MailsOf<Features[F]> ? Unwrapped<MailsOf<Features[F]>[T]> : never;
}[keyof Features];

type JobsOf<F> = NamesOf<F>['jobs'];

/** The name of a background job that some feature declares. */
export type JobName = { [F in keyof Features]: keyof JobsOf<Features[F]> & string }[keyof Features];

/** The payload of a background job, which its handler takes. */
export type JobPayload<T extends string> = {
  [F in keyof Features]: T extends keyof JobsOf<Features[F]> ? JobsOf<Features[F]>[T] : never;
}[keyof Features];

/** What a one-time secret is bound to (contract/credentials.md section 7). */
export type SecretBinding =
  /** The account with its epochs. A change that raises an epoch or changes the email address revokes the secret. */
  | 'account'
  /** Like `account`, but the secret can be issued before its account is known, or without one. */
  | 'later'
  /** The account and its email address, for secrets that prove only control of the email address. */
  | 'address'
  /** The account, whatever changes. */
  | 'owner'
  /** The account, while it has the same email address. */
  | 'mailbox'
  /** No account. */
  | 'none';

/** The payload of a purpose. Without an entry in `SecretPayloads`, its members have no known type. */
export type SecretPayload<P> = P extends keyof SecretPayloads ? SecretPayloads[P] : Record<string, unknown>;

type SecretsOf<F> = NamesOf<F>['secrets'];

/** The purpose of a one-time secret that some feature declares with one of these bindings. */
export type SecretPurpose<B extends SecretBinding = SecretBinding> = {
  [F in keyof Features]: {
    [P in keyof SecretsOf<Features[F]>]: SecretsOf<Features[F]>[P] extends B ? P & string : never;
  }[keyof SecretsOf<Features[F]>];
}[keyof Features];

type EventsOf<F> = NamesOf<F>['events'];

/** The name of an event of the gateway that some feature declares (contract/gateway.md section 11). */
export type EventType = { [F in keyof Features]: keyof EventsOf<Features[F]> & string }[keyof Features];

/** The data of an event of the gateway. */
export type EventData<T extends string> = {
  [F in keyof Features]: T extends keyof EventsOf<Features[F]> ? EventsOf<Features[F]>[T] : never;
}[keyof Features];

type OutgoingEventsOf<F> = NamesOf<F>['outgoingEvents'];

/** The type of an event for other services that some feature declares, such as `account.created`. */
export type OutgoingEventType = {
  [F in keyof Features]: keyof OutgoingEventsOf<Features[F]> & string;
}[keyof Features];

/** The data of an event for other services. */
export type OutgoingEventData<T extends string> = {
  [F in keyof Features]: T extends keyof OutgoingEventsOf<Features[F]> ? OutgoingEventsOf<Features[F]>[T] : never;
}[keyof Features];

/** The type of a metric. */
export type MetricType = 'counter' | 'gauge' | 'histogram';

type MetricsOf<F> = NamesOf<F>['metrics'];

/** The name of a metric of these types that some feature declares. */
export type MetricName<T extends MetricType = MetricType> = {
  [F in keyof Features]: {
    [M in keyof MetricsOf<Features[F]>]: MetricsOf<Features[F]>[M] extends { readonly type: T } ? M & string : never;
  }[keyof MetricsOf<Features[F]>];
}[keyof Features];

type LabelsOf<D> = D extends { readonly labels: infer L }
  ? { readonly [N in keyof L]: L[N] extends readonly (infer V)[] ? V & string : string }
  : Readonly<Record<string, never>>;

/** The labels of a metric, each with one of the values that its feature declares. */
export type MetricLabels<M extends string> = {
  [F in keyof Features]: M extends keyof MetricsOf<Features[F]> ? LabelsOf<MetricsOf<Features[F]>[M]> : never;
}[keyof Features];
