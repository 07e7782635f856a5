import type { Command } from './terminal/command.js';

export interface Entry {
  /** The words of the command with its arguments. */
  readonly usage: string;
  readonly summary: string;
  /** Loads the command only when it runs, because most commands load the whole service. */
  load(): Promise<Command>;
  /** The command does not load the extension, which may not be built yet. */
  readonly skipsExtension?: boolean;
}

/** Every command, by its words. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  migrate: {
    usage: 'migrate',
    summary: 'applies pending migrations of the database',
    load: async () => (await import('./migrate.js')).migrate,
  },
  doctor: {
    usage: 'doctor',
    summary: 'says what is wrong with the set-up and how to mend it; exit code 1 on faults',
    load: async () => (await import('./doctor/doctor.js')).doctor,
  },
  settings: {
    usage: 'settings [--markdown]',
    summary: 'prints every setting with its sentence and its default, as .env.example or as a table',
    load: async () => (await import('./settings.js')).settings,
  },
  routes: {
    usage: 'routes',
    summary: 'prints method, path and policy of every route',
    load: async () => (await import('./routes.js')).routes,
  },
  describe: {
    usage: 'describe [--project <tsconfig.json>] [--out <dist/description.json>]',
    summary: "describes what a program's controllers answer, for the API description and the tests",
    load: async () => (await import('./describe.js')).describe,
    skipsExtension: true,
  },
  'new project': {
    usage:
      'new project <name> [--directory <folder>] [--description <sentence>] [--noun <noun>] [--plural <nouns>] [--gatehouse <source>] [--yes] [--json]',
    summary:
      'makes a project of a team, with an example feature and its tests; asks for what is not said, unless --yes',
    load: async () => (await import('./new/project.js')).newProject,
    skipsExtension: true,
  },
  'new feature': {
    usage: 'new feature <noun> [--plural <nouns>] [--json]',
    summary: 'adds routes, rules, table, migration, event and test of a noun to the project of this folder',
    load: async () => (await import('./new/feature.js')).newFeature,
    skipsExtension: true,
  },
  explain: {
    usage:
      'explain <METHOD> <path> [--credential <kind>] [--scopes <a,b>] [--acls <a,b>] [--key-acls <a,b>] [--suspicious <0-255>] [--sso-enforced]',
    summary:
      "prints a route's policy and the guards that judge it, in order; with options also what each would say to such a caller",
    load: async () => (await import('./routes.js')).explain,
  },
  'user list': {
    usage: 'user list [--limit <1-1000>] [--offset <n>] [--json]',
    summary: 'lists accounts, newest first: 50 unless told',
    load: async () => (await import('./user-records.js')).listUsers,
  },
  'user show': {
    usage: 'user show <email|id> [--json]',
    summary: 'prints what administrators see of an account',
    load: async () => (await import('./user-records.js')).showUser,
  },
  'user verify': {
    usage: 'user verify <email|id>',
    summary: 'counts the address of an account as verified',
    load: async () => (await import('./user-sign-in.js')).verifyEmail,
  },
  'user reset-password': {
    usage: 'user reset-password <email|id>',
    summary: 'mails a token to the owner of an account, who sets a new password with it; nobody else sees it',
    load: async () => (await import('./user-sign-in.js')).resetPassword,
  },
  'user mfa off': {
    usage: 'user mfa off <email|id> [--passkeys]',
    summary: 'removes authenticator and backup codes of an account; with --passkeys its passkeys too',
    load: async () => (await import('./user-sign-in.js')).disableMfa,
  },
  'user grant-acl': {
    usage: 'user grant-acl <email|id> <acl...>',
    summary: "adds ACLs to an account; '*' makes it an administrator of everything",
    load: async () => (await import('./user-acls.js')).grantAcl,
  },
  'user revoke-acl': {
    usage: 'user revoke-acl <email|id> <acl...>',
    summary: 'takes ACLs from an account; its Admin keys narrow with it',
    load: async () => (await import('./user-acls.js')).revokeAcl,
  },
  'user export': {
    usage: 'user export <email|id>',
    summary: 'prints everything that is kept of an account as JSON, without secrets',
    load: async () => (await import('./accounts.js')).exportAccount,
  },
  'user delete': {
    usage: 'user delete <email|id> [--yes]',
    summary: 'erases an account at once and for good; without --yes it only says whose',
    load: async () => (await import('./accounts.js')).deleteAccount,
  },
  'import users': {
    usage: 'import users <file.jsonl> [--dry-run] [--report <refused.jsonl>]',
    summary:
      'takes accounts of another service, one a line (docs/importing.md); run again, it goes on; exit code 1 when lines were refused',
    load: async () => (await import('./import-users.js')).importUsers,
  },
  'sessions revoke': {
    usage: 'sessions revoke --all | --since <time>',
    summary:
      'ends every session, or those made at or after a time (2026-01-31T12:00:00Z) or within the last while (90m, 12h, 7d)',
    load: async () => (await import('./sessions.js')).revokeSessions,
  },
  'ban list': {
    usage: 'ban list [--json]',
    summary: 'lists the banned addresses and ranges',
    load: async () => (await import('./bans.js')).listBans,
  },
  'ban remove': {
    usage: 'ban remove <address|cidr>',
    summary: 'lifts the ban of an address or range, an automatic one too',
    load: async () => (await import('./bans.js')).removeBan,
  },
  'admin-key create': {
    usage: 'admin-key create --owner <email|id> --name <name> --acl <acl...> [--days <1-365>]',
    summary: 'makes an Admin API key, within the ACLs of its owner, and prints it once',
    load: async () => (await import('./admin-keys.js')).createAdminKey,
  },
  'keys rotate': {
    usage: 'keys rotate [--compromised]',
    summary:
      'puts what is encrypted at rest under the current GATEHOUSE_SECRET, and rotates signing keys; exit code 1 when something is lost',
    load: async () => (await import('./keys.js')).rotateKeys,
  },
  'jobs list': {
    usage: 'jobs list [--waiting] [--limit <1-1000>] [--json]',
    summary: 'lists background jobs that failed in all attempts, or those that wait or run. Default limit: 50',
    load: async () => (await import('./jobs.js')).listJobs,
  },
  'jobs retry': {
    usage: 'jobs retry <id...>',
    summary: 'makes failed background jobs due again; exit code 1 if one of them was not failed',
    load: async () => (await import('./jobs.js')).retryJobs,
  },
  'jobs delete': {
    usage: 'jobs delete <name>',
    summary: 'deletes all waiting and failed background jobs of a name that no installed feature declares',
    load: async () => (await import('./jobs.js')).deleteJobs,
  },
  'sso enforce off': {
    usage: 'sso enforce off',
    summary: 'lifts the enforcement of single sign-on, for when the provider is lost; everybody signs in as before',
    load: async () => (await import('./sso.js')).liftSsoEnforcement,
  },
  'audit verify': {
    usage: 'audit verify',
    summary: 'walks the hash chain of the audit log; exit code 1 when it is broken',
    load: async () => (await import('./audit.js')).verifyAudit,
  },
  'audit tail': {
    usage: 'audit tail [-n <1-200>] [--action <action>] [--json]',
    summary: 'prints the last entries of the audit log, the newest at the end: 20 unless told',
    load: async () => (await import('./audit.js')).tailAudit,
  },
};
