/** The kinds of names that a feature declares. */
export type Kind =
  | 'settings'
  | 'errors'
  | 'fieldErrors'
  | 'buckets'
  | 'scopes'
  | 'acls'
  | 'auditActions'
  | 'securityEvents'
  | 'mails'
  | 'secrets'
  | 'jobs'
  | 'healthChecks'
  | 'metrics'
  | 'events'
  | 'outgoingEvents'
  | 'servicePolicies'
  | 'exports'
  | 'erasure'
  | 'encryptedColumns';

/** How names of one kind are written. */
export interface Rule {
  /** What an error message calls a name of this kind. */
  readonly what: string;
  readonly shape: RegExp;
  /** How to write a valid name. */
  readonly form: string;
  /** What a name of a team's feature starts with. */
  readonly prefix?: (feature: string) => string;
  /** Whether the name of the feature is also a valid name. */
  readonly allowsFeatureName?: boolean;
}

const CODE = /^[A-Z][A-Z0-9_]*$/;
export const WORD = /^[a-z][a-z0-9_]{0,63}$/;
export const SQL_NAME = /^[a-z_][a-z0-9_]*$/;
const UPPER_CASE = 'Use upper-case letters, digits and _, and begin with a letter';
const LOWER_CASE = 'Use at most 64 lower-case letters, digits and _, and begin with a letter';
const SQL_FORM = 'Use lower-case letters, digits and _';
const KEBAB_CASE = 'Use lower-case letters, digits and hyphens, and begin with a letter';
const upperCase = (feature: string) => `${feature.toUpperCase()}_`;
const colon = (feature: string) => `${feature}:`;
const underscore = (feature: string) => `${feature}_`;

/** The form of the names of each kind. */
export const RULES: Readonly<Record<Kind, Rule>> = {
  settings: { what: 'setting', form: UPPER_CASE, shape: CODE, prefix: upperCase },
  errors: { what: 'error code', form: UPPER_CASE, shape: CODE, prefix: upperCase },
  fieldErrors: { what: 'field code', form: UPPER_CASE, shape: CODE, prefix: upperCase },
  buckets: {
    what: 'bucket',
    form: 'Use at most 64 lower-case letters, digits, _ and :',
    shape: /^[a-z0-9_:]{1,64}$/,
    prefix: colon,
  },
  scopes: {
    what: 'scope',
    form: 'Use at most 64 visible ASCII characters without space, double quote and backslash',
    shape: /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/,
    prefix: (feature) => `${feature}.`,
  },
  acls: {
    what: 'ACL',
    form: 'Use words of lower-case letters, digits and _ with colons between them, such as notes:remove',
    shape: /^(?:\*|(?=.{1,64}$)[a-z0-9_]+(?::[a-z0-9_]+)+)$/,
    prefix: colon,
  },
  auditActions: {
    what: 'audit action',
    form: 'Use lower-case letters, digits and _, with at most one colon, such as notes:remove',
    // No longer than the filter of the audit log accepts.
    shape: /^(?=.{1,64}$)[a-z][a-z0-9_]{0,31}(?::[a-z][a-z0-9_]{0,31})?$/,
    prefix: colon,
  },
  securityEvents: { what: 'security event', form: LOWER_CASE, shape: WORD, prefix: underscore },
  mails: { what: 'email', form: LOWER_CASE, shape: WORD, prefix: underscore },
  secrets: {
    what: 'purpose',
    form: 'Use lower-case letters, digits, _ and hyphens, and begin with a letter',
    shape: /^[a-z][a-z0-9_-]{0,63}$/,
    prefix: (feature) => `${feature}-`,
  },
  jobs: {
    what: 'job',
    form: 'Use words of lower-case letters, digits and _ with colons between them, such as notes:remind',
    shape: /^(?=.{1,64}$)[a-z][a-z0-9_]*(?::[a-z][a-z0-9_]*)+$/,
    prefix: colon,
  },
  healthChecks: {
    what: 'health check',
    form: KEBAB_CASE,
    shape: /^[a-z][a-z0-9-]{0,63}$/,
    prefix: (feature) => `${feature}-`,
    allowsFeatureName: true,
  },
  metrics: {
    what: 'metric',
    form: 'Use words of lower-case letters and digits with _ between them, such as notes_created_total',
    shape: /^(?=.{1,64}$)[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/,
    prefix: underscore,
  },
  events: { what: 'event', form: UPPER_CASE, shape: CODE, prefix: upperCase },
  outgoingEvents: {
    what: 'outgoing event',
    form: 'Use words of lower-case letters, digits and _ with dots between them, such as notes.created',
    shape: /^(?=.{1,64}$)[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/,
    prefix: (feature) => `${feature}.`,
  },
  servicePolicies: {
    what: 'service policy',
    form: KEBAB_CASE,
    shape: /^[a-z][a-z0-9-]{0,63}$/,
    prefix: (feature) => `${feature.replaceAll('_', '-')}-`,
    allowsFeatureName: true,
  },
  exports: { what: 'part of the export', form: LOWER_CASE, shape: WORD, prefix: underscore, allowsFeatureName: true },
  erasure: { what: 'table', form: SQL_FORM, shape: SQL_NAME, prefix: underscore, allowsFeatureName: true },
  encryptedColumns: { what: 'encrypted column', form: 'Use a text that is not blank', shape: /\S/ },
};
