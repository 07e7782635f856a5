import { randomBytes } from 'node:crypto';
import { readRoutes } from '../app.js';
import { loadConfig } from '../core/config/config.js';
import { OPERATIONAL } from '../http/front-door.js';
import { arrivalGuardsInOrder } from '../pipeline/guards.js';
import { describePolicy } from '../policy/routes.js';
import { type Command, CommandError, UsageError } from './command.js';

/** The routes of the default configuration: nothing of this machine's environment changes the list. */
const defaultSurface = () => readRoutes(loadConfig({ GATEHOUSE_SECRET: randomBytes(32).toString('base64') }));

export const routes: Command = async (args, { out }) => {
  if (args.length > 0) throw new UsageError(`${args[0]} is not expected`);
  const { routes, commands } = await defaultSurface();
  out((routes.describe() + commands.describe()).trimEnd());
  return 0;
};

export const explain: Command = async (args, { out }) => {
  const [method, path, ...more] = args;
  if (!method || !path?.startsWith('/') || more.length > 0) throw new UsageError('a method and a path are needed');
  const { routes, compiled } = await defaultSurface();
  const plans = routes.matching(path).filter((plan) => plan.method === method.toUpperCase());
  // A literal segment is more specific than a parameter.
  const [plan] = plans.sort((a, b) => a.path.split(/[:*]/).length - b.path.split(/[:*]/).length);
  if (!plan) throw new CommandError(`no route answers ${method.toUpperCase()} ${path}: 404 NOT_FOUND`);
  const arrival = OPERATIONAL.has(plan.path) ? [] : arrivalGuardsInOrder().map(({ name }) => name);
  const guards = [...arrival, ...compiled.guardsOf(plan).map((guard) => guard.constructor.name)];
  out(`${plan.method} ${plan.path}`);
  out(`  handler  ${plan.controller}.${plan.handler}`);
  out(`  policy   ${describePolicy(plan.policy)}`);
  out(
    `  body     ${plan.accepts.kind === 'none' ? 'none' : `${plan.accepts.kind}, at most ${plan.accepts.limit} bytes`}`,
  );
  out('  guards, in order:');
  for (const [index, guard] of guards.entries()) out(`    ${String(index + 1).padStart(2)}  ${guard}`);
  return 0;
};
