import { type Command, CommandError, UsageError } from './cli/command.js';
import { StartError } from './config.js';

interface Entry {
  /** What follows `npm run cli --`. */
  readonly usage: string;
  readonly summary: string;
  /** A command is loaded when it is asked for: most of them bring the whole service with them. */
  load(): Promise<Command>;
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  migrate: {
    usage: 'migrate',
    summary: 'applies pending migrations of the database',
    load: async () => (await import('./cli/operations.js')).migrate,
  },
  doctor: {
    usage: 'doctor',
    summary: 'says what is wrong with the set-up and how to mend it; exit code 1 on faults',
    load: async () => (await import('./cli/doctor.js')).doctor,
  },
  routes: {
    usage: 'routes',
    summary: 'prints method, path and policy of every route',
    load: async () => (await import('./cli/routes.js')).routes,
  },
  explain: {
    usage: 'explain <METHOD> <path>',
    summary: "prints a route's policy and the guards that judge it, in order",
    load: async () => (await import('./cli/routes.js')).explain,
  },
  'user grant-acl': {
    usage: 'user grant-acl <email|id> <acl...>',
    summary: "adds ACLs to an account; '*' makes it an administrator of everything",
    load: async () => (await import('./cli/accounts.js')).grantAcl,
  },
  'user export': {
    usage: 'user export <email|id>',
    summary: 'prints everything that is kept of an account as JSON, without secrets',
    load: async () => (await import('./cli/accounts.js')).exportAccount,
  },
  'user delete': {
    usage: 'user delete <email|id> [--yes]',
    summary: 'erases an account at once and for good; without --yes it only says whose',
    load: async () => (await import('./cli/accounts.js')).deleteAccount,
  },
  'admin-key create': {
    usage: 'admin-key create --owner <email|id> --name <name> --acl <acl...> [--days <1-365>]',
    summary: 'makes an Admin API key, within the ACLs of its owner, and prints it once',
    load: async () => (await import('./cli/accounts.js')).createAdminKey,
  },
  'keys rotate': {
    usage: 'keys rotate',
    summary: 'puts what is encrypted at rest under the current GATEHOUSE_SECRET; exit code 1 when something is lost',
    load: async () => (await import('./cli/keys.js')).rotateKeys,
  },
  'sso enforce off': {
    usage: 'sso enforce off',
    summary: 'lifts the enforcement of single sign-on, for when the provider is lost; everybody signs in as before',
    load: async () => (await import('./cli/operations.js')).liftSsoEnforcement,
  },
  'audit verify': {
    usage: 'audit verify',
    summary: 'walks the hash chain of the audit log; exit code 1 when it is broken',
    load: async () => (await import('./cli/operations.js')).verifyAudit,
  },
};

function usage(): string {
  const lines = Object.values(COMMANDS).flatMap((entry) => [`  ${entry.usage}`, `      ${entry.summary}`]);
  return ['usage: npm run cli -- <command>', '', ...lines].join('\n');
}

async function execute(args: string[]): Promise<number> {
  const [first = ''] = args;
  if (first === 'help' || args.includes('--help')) {
    console.log(usage());
    return 0;
  }
  const words = [3, 2, 1].find((count) => args.length >= count && COMMANDS[args.slice(0, count).join(' ')]) ?? 0;
  const entry = COMMANDS[args.slice(0, words).join(' ')];
  if (!entry) throw new UsageError(first === '' ? 'a command is needed' : `${args.join(' ')} is no command`);
  const command = await entry.load();
  return command(args.slice(words), { env: process.env, out: (line) => console.log(line) });
}

const isUsageFault = (error: unknown): error is Error =>
  error instanceof UsageError || String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');

function explainFailure(error: unknown): number {
  if (isUsageFault(error)) {
    console.error(`${error.message}\n\n${usage()}`);
    return 2;
  }
  if (error instanceof CommandError || error instanceof StartError) console.error(error.message);
  else console.error(error instanceof Error ? (error.stack ?? error.message) : error);
  return 1;
}

const code = await execute(process.argv.slice(2)).catch(explainFailure);
// Whatever still waits in this process, the command is done once its output is written.
process.stdout.write('', () => process.exit(code));
