import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { readRoutes, type Surface } from '../app.js';
import { allSettings, featureRegistry, loadConfig } from '../features.js';
import { SIMULATED_CREDENTIALS } from '../pipeline/simulated-caller.js';
import { settingsOf } from '../policy/extension.js';
import { parseCount } from './terminal/arguments.js';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.js';
import { printResult } from './terminal/words.js';

/** The only built-in setting that adds to the list. */
const SERVICE_POLICIES_FILE = 'SERVICE_POLICIES_FILE';

/**
 * The routes of the default configuration. The environment of this machine does not affect the list, except for
 * service policies and required settings of the extension.
 */
function defaultSurface({ env, extension = {} }: Terminal): Promise<Surface> {
  const ours = new Set(allSettings().map(({ name }) => name));
  const theirs = allSettings(settingsOf(extension)).filter(({ name }) => !ours.has(name));
  const config = loadConfig(
    {
      ...Object.fromEntries(
        [...theirs.map(({ name }) => name), SERVICE_POLICIES_FILE].map((name) => [name, env[name]]),
      ),
      GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
    },
    settingsOf(extension),
  );
  return readRoutes(config, extension);
}

export const routes: Command = async (args, terminal) => {
  if (args.length > 0) throw new UsageError(`Unexpected argument: ${args[0]}`);
  const { routes, commands } = await defaultSurface(terminal);
  const lines = (routes.describe() + commands.describe()).trimEnd().split('\n');
  const entries = lines.map((line) => /^(?<method>\S+) (?<path>\S+) (?<policy>.*)$/.exec(line)?.groups);
  printResult(terminal, entries, lines);
  return 0;
};

const splitList = (text: string | undefined): string[] | undefined =>
  text?.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));

function parseSimulatedCaller(
  { credential, scopes, acls, ...more }: Readonly<Record<string, string | boolean | undefined>>,
  registered: ReadonlyMap<string, unknown>,
) {
  const kind = SIMULATED_CREDENTIALS.find((one) => one === credential);
  if (credential !== undefined && !kind) {
    throw new UsageError(`--credential must be one of ${SIMULATED_CREDENTIALS.join(', ')}`);
  }
  const held = [acls, more['key-acls']].flatMap((list) => splitList(list as string | undefined) ?? []);
  const unknown = held.find((acl) => !registered.has(acl));
  if (unknown !== undefined) throw new UsageError(`Unknown ACL: ${unknown}`);
  return {
    credential: kind,
    scopes: splitList(scopes as string | undefined),
    acls: splitList(acls as string | undefined),
    keyAcls: splitList(more['key-acls'] as string | undefined),
    suspicious: parseCount('--suspicious', more.suspicious as string | undefined, 0, [0, 255]),
    isSsoEnforced: more['sso-enforced'] === true,
  };
}

export const explain: Command = async (args, terminal) => {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { credential: text, scopes: text, acls: text, 'key-acls': text, suspicious: text, 'sso-enforced': flag },
  });
  const [given, path, ...more] = positionals;
  if (!given || !path?.startsWith('/') || more.length > 0) throw new UsageError('Method or path missing.');
  const method = given.toUpperCase();
  const simulated = parseSimulatedCaller(values, featureRegistry(terminal.extension).acls);
  const { explanation } = await defaultSurface(terminal);
  const { route, rows, answer } = explanation.explain(method, path, simulated);
  if (!route) throw new CommandError(`No route has this method and path: ${method} ${path}`);
  const isSimulated = Object.keys(values).length > 0;
  const guards = rows.map(({ row, judgement }, index) => {
    const number = String(index + 1).padStart(2);
    return `    ${number}  ${isSimulated ? `${row.padEnd(20)}  ${judgement}` : row}`;
  });
  const response = `  response ${answer.status}${answer.code === null ? '' : ` ${answer.code}`}`;
  printResult(terminal, { route, guards: rows, response: isSimulated ? answer : null }, [
    `${route.method} ${route.path}`,
    `  handler  ${route.handler}`,
    `  policy   ${route.policy}`,
    `  body     ${route.body_limit === null ? 'none' : `${route.body}, at most ${route.body_limit} bytes`}`,
    '  guards, in order:',
    ...guards,
    ...(isSimulated ? [response] : []),
  ]);
  return 0;
};
