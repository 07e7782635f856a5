import type { Entry } from './entry.js';
import { INCIDENT_COMMANDS } from './incident-commands.js';

const DECLARED: Readonly<Record<string, Entry>> = {
  migrate: {
    usage: 'migrate',
    summary: 'Apply the pending database migrations',
    example: '',
    load: async () => (await import('./database/migrate.js')).migrate,
  },
  doctor: {
    usage: 'doctor',
    summary: 'Check the setup, and print each problem with its fix. Exit code 1 if there are errors',
    example: '',
    load: async () => (await import('./doctor/doctor.js')).doctor,
  },
  settings: {
    usage: 'settings [--markdown]',
    summary: 'Print every setting with its description and default',
    options: { '--markdown': 'Print a Markdown table. Default: the format of .env.example' },
    example: '--markdown',
    load: async () => (await import('./settings.js')).settings,
  },
  capacity: {
    usage: 'capacity [--accounts <n>] [--sockets <n>] [--requests <n>] [--sign-ins <n>]',
    summary: 'Calculate the processes, the database and the memory that a load needs, from measured costs',
    options: {
      '--accounts <n>': 'The number of accounts. Default: 0',
      '--sockets <n>': 'The number of open gateway sockets. Default: 0',
      '--requests <n>': 'The requests per second at the peak, without sign-ins. Default: 0',
      '--sign-ins <n>': 'The sign-ins with a password per second at the peak. Default: 0',
    },
    example: '--accounts 10000000 --sockets 100000 --requests 5000 --sign-ins 200',
    skipsExtension: true,
    load: async () => (await import('./capacity/capacity.js')).capacity,
  },
  demo: {
    usage: 'demo',
    summary: 'Fill an empty database with example data. Development only',
    example: '',
    load: async () => (await import('./demo.js')).fillDemo,
  },
  routes: {
    usage: 'routes',
    summary: 'Print the method, path and policy of every route',
    example: '',
    load: async () => (await import('./routes.js')).routes,
  },
  describe: {
    usage: 'describe [--project <tsconfig.json>] [--out <dist/description.json>]',
    summary: 'Write the types of requests and responses to a file, for the OpenAPI document and the tests',
    options: {
      '--project <file>': 'The TypeScript configuration of the project. Default: tsconfig.json',
      '--out <file>': 'The file to write. Default: dist/description.json',
    },
    example: '--project tsconfig.build.json',
    load: async () => (await import('./describe.js')).describe,
    skipsExtension: true,
  },
  'new project': {
    usage:
      'new project <name> [--directory <folder>] [--description <sentence>] [--noun <noun>] [--plural <nouns>] [--gatehouse <source>] [--yes]',
    summary: 'Create a plugin project with an example feature and its tests',
    options: {
      '--directory <folder>': 'The folder to create. Default: the name of the project',
      '--description <sentence>': 'The description in package.json. Default: A service on Gatehouse.',
      '--noun <noun>': 'The noun of the example feature. Default: note',
      '--plural <nouns>': 'The plural of the noun. Default: built from the noun',
      '--gatehouse <source>':
        'Where npm installs Gatehouse from: file:<path>, a URL or an alias. Default: a file in the folder vendor. The command prints how to pack it',
      '--yes': 'Use the defaults for missing values. Default: ask for them',
    },
    example: 'my-notes --noun note --yes',
    load: async () => (await import('./new/project.js')).newProject,
    skipsExtension: true,
  },
  'new feature': {
    usage: 'new feature <noun> [--plural <nouns>] [--check] [--job] [--page]',
    summary: 'Add the routes, policy, table, migration, event and test of a noun to the project in this folder',
    options: {
      '--plural <nouns>': 'The plural of the noun. Default: built from the noun',
      '--check': 'Also create a check of routes, which decides from the data of the feature',
      '--job': 'Also create a background job, which runs at a time',
      '--page': 'Also create a page with a script and a style sheet',
    },
    example: 'bookmark',
    load: async () => (await import('./new/feature.js')).newFeature,
    skipsExtension: true,
  },
  explain: {
    usage:
      'explain <METHOD> <path> [--credential <kind>] [--scopes <a,b>] [--acls <a,b>] [--key-acls <a,b>] [--suspicious <0-255>] [--sso-enforced]',
    summary: "Print a route's policy and its guards in order. With options, also print the decision of each guard",
    options: {
      '--credential <kind>': 'The kind of credential: none, session, bot, bearer, admin-bearer or admin-key',
      '--scopes <a,b>': 'The OAuth2 scopes of the access token',
      '--acls <a,b>': 'The ACLs of the account',
      '--key-acls <a,b>': 'The ACLs of the Admin API key. Default: the ACLs of the account',
      '--suspicious <0-255>': 'The suspicious-activity flags of the account. Default: 0',
      '--sso-enforced': 'Single sign-on is enforced. Default: it is not',
    },
    example: 'GET /v1/admin/users/12 --credential session --acls admin:authenticate',
    load: async () => (await import('./routes.js')).explain,
  },
  'user list': {
    usage: 'user list [--limit <1-1000>] [--offset <n>] [--ip <ip>]',
    summary: 'List accounts, newest first',
    options: {
      '--limit <1-1000>': 'The number of accounts. Default: 50',
      '--offset <n>': 'The number of accounts to skip. Default: 0',
      '--ip <ip>': 'Only accounts that were last active from this IP address. Default: all',
    },
    example: '--limit 10',
    isAudited: true,
    load: async () => (await import('./user-records.js')).listUsers,
  },
  'user show': {
    usage: 'user show <email|id>',
    summary: 'Print an account as administrators see it',
    example: 'ada@example.com',
    isAudited: true,
    load: async () => (await import('./user-records.js')).showUser,
  },
  'user verify': {
    usage: 'user verify <email|id>',
    summary: "Mark an account's email address as verified",
    example: 'ada@example.com',
    isAudited: true,
    load: async () => (await import('./user-sign-in.js')).verifyEmail,
  },
  'user reset-password': {
    usage: 'user reset-password <email|id>',
    summary: 'Email the owner of an account a token to set a new password. The token is not printed',
    example: 'ada@example.com',
    isAudited: true,
    load: async () => (await import('./user-sign-in.js')).resetPassword,
  },
  'user mfa off': {
    usage: 'user mfa off <email|id> [--passkeys]',
    summary: 'Remove the authenticator app and the backup codes of an account',
    options: { '--passkeys': 'Also remove its passkeys. Default: keep them' },
    example: 'ada@example.com --passkeys',
    isAudited: true,
    load: async () => (await import('./user-sign-in.js')).disableMfa,
  },
  'user grant-acl': {
    usage: 'user grant-acl <email|id> <acl...>',
    summary: "Grant ACLs to an account. '*' grants every ACL",
    example: "ada@example.com '*'",
    isAudited: true,
    load: async () => (await import('./user-acls.js')).grantAcl,
  },
  'user revoke-acl': {
    usage: 'user revoke-acl <email|id> <acl...>',
    summary: 'Revoke ACLs of an account. Its Admin API keys also lose them',
    example: 'ada@example.com user:delete',
    isAudited: true,
    load: async () => (await import('./user-acls.js')).revokeAcl,
  },
  'user export': {
    usage: 'user export <email|id>',
    summary: 'Print all data of an account as JSON, without secrets',
    example: 'ada@example.com > ada.json',
    isAudited: true,
    load: async () => (await import('./accounts.js')).exportAccount,
  },
  'user delete': {
    usage: 'user delete <email|id> [--yes]',
    summary: 'Permanently delete an account immediately',
    options: { '--yes': 'Delete the account. Default: only print which account it is' },
    example: 'ada@example.com --yes',
    isAudited: true,
    load: async () => (await import('./accounts.js')).deleteAccount,
  },
  'import users': {
    usage: 'import users <file.jsonl> [--dry-run] [--report <refused.jsonl>]',
    summary:
      'Import the accounts of another service, one per line (docs/importing.md). Run it again to continue. Exit code 1 if lines were rejected',
    options: {
      '--dry-run': 'Check the file without importing. Default: import',
      '--report <file>': 'Write the rejected lines to a file. Default: print the first 20',
    },
    example: 'users.jsonl --dry-run',
    isAudited: true,
    load: async () => (await import('./import-users.js')).importUsers,
  },
  'sessions revoke': {
    usage: 'sessions revoke --all | --since <time> | --account <email|id>',
    summary: 'End all sessions, those that were created since a time, or those of one account',
    options: {
      '--all': 'End all sessions',
      '--since <time>': 'A time such as 2026-01-31T12:00:00Z, or a duration before now such as 90m, 12h or 7d',
      '--account <email|id>': 'The account whose sessions end',
    },
    example: '--since 12h',
    isAudited: true,
    load: async () => (await import('./sessions.js')).revokeSessions,
  },
  'ban list': {
    usage: 'ban list',
    summary: 'List the banned IP addresses and ranges',
    example: '--json',
    isAudited: true,
    load: async () => (await import('./bans.js')).listBans,
  },
  'ban remove': {
    usage: 'ban remove <ip|cidr>',
    summary: 'Remove the ban of an IP address or range, including an automatic one',
    example: '203.0.113.7',
    isAudited: true,
    load: async () => (await import('./bans.js')).removeBan,
  },
  'admin-key create': {
    usage: 'admin-key create --owner <email|id> --name <name> --acl <acl...> [--days <1-365>]',
    summary: 'Create an Admin API key and print it once',
    options: {
      '--owner <email|id>': 'The account that owns the key',
      '--name <name>': 'What the key is for',
      '--acl <acl...>': 'The ACLs of the key. The owner must have them',
      '--days <1-365>': 'The days until the key expires. Default: it does not expire',
    },
    example: '--owner ada@example.com --name backup --acl audit_log:view --days 90',
    isAudited: true,
    load: async () => (await import('./admin-keys.js')).createAdminKey,
  },
  'keys rotate': {
    usage: 'keys rotate [--secrets | --compromised]',
    summary:
      'Encrypt stored secrets again with the current GATEHOUSE_SECRET, and rotate the signing keys. Exit code 1 if a secret cannot be decrypted, or the next signing keys are too new',
    options: {
      '--secrets': 'Encrypt the secrets, and keep the signing keys',
      '--compromised':
        'Replace the signing keys immediately and reject their signatures. Default: keep them valid for a time',
    },
    example: '',
    isAudited: true,
    load: async () => (await import('./keys.js')).rotateKeys,
  },
  'keys status': {
    usage: 'keys status',
    summary:
      'Print which secrets the replicas accept, and how many stored values still need another one. Exit code 1 while the next phase of a rotation is not safe',
    example: '',
    load: async () => (await import('./key-status.js')).keyStatus,
  },
  'jobs list': {
    usage: 'jobs list [--waiting] [--limit <1-1000>]',
    summary: 'List the background jobs that failed every attempt',
    options: {
      '--waiting': 'List the jobs that wait or run. Default: the failed ones',
      '--limit <1-1000>': 'The number of jobs. Default: 50',
    },
    example: '--waiting',
    isAudited: true,
    load: async () => (await import('./jobs.js')).listJobs,
  },
  'jobs retry': {
    usage: 'jobs retry <id...>',
    summary: 'Retry failed background jobs. Exit code 1 if one of them has not failed',
    example: '7b0c1f5e-3d0a-4a53-9a53-0f6a3ce0a1d4',
    isAudited: true,
    load: async () => (await import('./jobs.js')).retryJobs,
  },
  'jobs delete': {
    usage: 'jobs delete <name>',
    summary: 'Delete all waiting and failed background jobs of a name that no installed feature declares',
    example: 'letters:deliver',
    isAudited: true,
    load: async () => (await import('./jobs.js')).deleteJobs,
  },
  'restore begin': {
    usage: 'restore begin [--database-lost]',
    summary: 'Prevent the start of replicas before you restore the database. Exit code 1 if a replica is running',
    options: { '--database-lost': 'Do not check for replicas, because the database does not respond' },
    example: '',
    load: async () => (await import('./database/restore.js')).beginRestore,
  },
  'restore finish': {
    usage: 'restore finish',
    summary:
      'End all credentials of the restored database, repeat erasures and bans of the ledger, delete files without a row, and let replicas start',
    example: '',
    isAudited: true,
    load: async () => (await import('./database/restore.js')).finishRestore,
  },
  'sso enforce off': {
    usage: 'sso enforce off',
    summary: 'Stop requiring single sign-on, for example if the identity provider is down',
    example: '',
    isAudited: true,
    load: async () => (await import('./sso.js')).liftSsoEnforcement,
  },
  'audit verify': {
    usage: 'audit verify',
    summary: 'Verify the hash chain of the audit log. Exit code 1 if it is broken',
    example: '',
    load: async () => (await import('./audit.js')).verifyAudit,
  },
  'audit tail': {
    usage: 'audit tail [-n <1-200>] [--action <action>]',
    summary: 'Print the last entries of the audit log, newest last',
    options: {
      '-n <1-200>': 'The number of entries. Default: 20',
      '--action <action>': 'Only entries of this action. Default: all',
    },
    example: '-n 50 --action temp_ban',
    isAudited: true,
    load: async () => (await import('./audit.js')).tailAudit,
  },
};

/** Adds the options that every command has. */
const withCommonOptions = (entry: Entry): Entry => ({
  ...entry,
  usage: `${entry.usage}${entry.isAudited ? ' [--reason <text>]' : ''} [--json]`,
  options: {
    ...entry.options,
    ...(entry.isAudited && { '--reason <text>': 'The reason for the audit log. Default: none' }),
    '--json': 'Print JSON for programs. Default: text',
  },
});

/** Every command, by its words. */
export const COMMANDS: Readonly<Record<string, Entry>> = Object.fromEntries(
  Object.entries({ ...DECLARED, ...INCIDENT_COMMANDS }).map(([name, entry]) => [name, withCommonOptions(entry)]),
);
