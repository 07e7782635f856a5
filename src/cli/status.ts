import { ownPackage } from '../core/own-package.js';
import { databaseSchema, loadConfig } from '../features.js';
import { Database } from '../platform/database/database.js';
import { DatabaseInUseError } from '../platform/database/directory-lock.js';
import type { TestResult } from '../platform/dependencies/self-test.js';
import { type ReplicaStatus, readReplicas } from '../platform/replicas/replica-statistics.js';
import { settingsOf } from '../policy/extension.js';
import { testDependencies } from './doctor/dependency-checks.js';
import { assertNoArguments } from './terminal/arguments.js';
import type { Command, Terminal } from './terminal/command.js';
import { toCommandError } from './terminal/to-command-error.js';
import { printResult } from './terminal/words.js';

const replicaView = ({ workerId, version, startedAt, seenAt, numbers, state }: ReplicaStatus) => ({
  ...{ replica: workerId, host: state?.host ?? null, version },
  ...{ started_at: startedAt.toISOString(), seen_at: seenAt.toISOString(), is_ready: state?.isReady ?? null },
  ...{ drained_until: state?.drainedUntil ?? null, failing: state?.failing ?? [] },
  ...{ requests_per_second: numbers.requestsPerSecond, gateway_sockets: numbers.gatewaySockets },
});

type ReplicaView = ReturnType<typeof replicaView>;

const readinessOf = ({ is_ready, drained_until, failing }: ReplicaView): string => {
  if (drained_until !== null) return `not ready, drained until ${drained_until}`;
  if (is_ready === null) return 'unknown';
  return [is_ready ? 'ready' : 'NOT READY', ...(failing.length > 0 ? [`fails: ${failing.join(', ')}`] : [])].join(', ');
};

const replicaLine = (view: ReplicaView): string =>
  [
    `replica ${view.replica}`,
    ...[view.host ?? '-', view.version, readinessOf(view), `since ${view.started_at}`],
    `${view.requests_per_second} requests/s`,
    `${view.gateway_sockets} sockets`,
  ].join('  ');

const dependencyView = ({ dependency: { name, isRequired }, cause }: TestResult) => ({
  ...{ name, is_required: isRequired, state: cause === null ? 'works' : cause === undefined ? 'unknown' : 'fails' },
  cause: cause ?? null,
});

const dependencyLine = ({ name, state, cause }: ReturnType<typeof dependencyView>): string =>
  `${name}  ${state === 'fails' ? `FAILS: ${cause}` : state}`;

/** Reads the reports of the replicas. If the database does not respond, there are none, and its test shows why. */
async function readStatus({ env, embeddedDatabase, extension = {} }: Terminal) {
  const config = loadConfig(env, settingsOf(extension));
  let database: Database | undefined;
  let replicas: ReplicaStatus[] = [];
  try {
    database = await Database.open(config, databaseSchema(extension), embeddedDatabase);
    replicas = await readReplicas(database.manager);
  } catch (error) {
    const known = toCommandError(error, extension);
    if (error instanceof DatabaseInUseError || known !== error) throw known;
  }
  try {
    const results = await testDependencies(config, extension, database ?? Database.unconnected(config));
    return { replicas: replicas.map(replicaView), dependencies: results.map(dependencyView) };
  } finally {
    await database?.close();
  }
}

/** Shows what replicas report about themselves, and tests the dependencies from this machine. */
export const status: Command = async (args, terminal) => {
  assertNoArguments(args);
  const { replicas, dependencies } = await readStatus(terminal);
  const { version } = ownPackage();
  printResult(terminal, { version, replicas, dependencies }, [
    `version of this command: ${version}`,
    ...(replicas.length === 0 ? ['No replica reported in the last 20 seconds.'] : replicas.map(replicaLine)),
    ...dependencies.map(dependencyLine),
  ]);
  const isDown = dependencies.some(({ is_required, state }) => is_required && state === 'fails');
  return isDown || !replicas.some(({ is_ready }) => is_ready) ? 1 : 0;
};
