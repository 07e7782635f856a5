/** Reads the data of the reference from the service itself, so that nothing is written twice. */
import { randomBytes } from 'node:crypto';

/**
 * @param load imports a module of the service by its path below `src/`, either compiled or as source
 */
export async function readFacts(load) {
  const { readDescriptions, readRoutes } = await load('app.js');
  const { allSettings, featureRegistry, loadConfig } = await load('features.js');
  const { arrivalGuardsInOrder } = await load('pipeline/arrival-guards.js');
  const { guardsInOrder } = await load('pipeline/guards.js');
  const { describePolicy } = await load('policy/route-policy.js');
  const { errors, fieldErrors, buckets, acls, scopes } = featureRegistry();
  const { COMMANDS } = await load('cli/commands.js');
  const { settingsTable } = await load('core/config/printed.js');
  const config = loadConfig({ GATEHOUSE_SECRET: randomBytes(32).toString('base64') });
  const { routes, compiled } = await readRoutes(config);
  const { api, gateway } = await readDescriptions(config);
  return {
    api,
    gateway,
    routes: routes.all.map(({ method, path, policy, controller }) => ({
      method,
      path: path.replace(/[:*](\w+)/g, '{$1}'),
      policy,
      written: describePolicy(policy),
      controller,
    })),
    rows: [
      ...arrivalGuardsInOrder().map(({ name }) => ({ name, codes: ARRIVAL_CODES[name] })),
      ...guardsInOrder().map(({ name }) => ({ name, codes: codesOf(name, routes.all, compiled) })),
    ],
    errors: [...errors].map(([code, [status, message]]) => [code, status, message]).sort(([, a], [, b]) => a - b),
    fields: [...fieldErrors],
    settings: allSettings(),
    settingsTable,
    buckets: [...buckets].map(([name, [limit, seconds]]) => [name, limit, seconds]),
    acls: [...acls.keys()],
    scopes: [...scopes.keys()],
    commands: COMMANDS,
  };
}

/** The first two guards run before the route is known, so no route lists their errors. */
const ARRIVAL_CODES = {
  LoadGuard: ['SERVICE_UNAVAILABLE'],
  BanGuard: ['GLOBAL_IP_BANNED', 'GLOBAL_IP_TEMPORARILY_BANNED'],
};

/** Every error code that a guard returns on any route. */
function codesOf(name, plans, compiled) {
  const codes = plans.flatMap((plan) =>
    compiled
      .guardsOf(plan)
      .filter((guard) => guard.constructor.name === name)
      .flatMap((guard) => guard.possibleErrors(plan.policy)),
  );
  return [...new Set(codes)];
}
