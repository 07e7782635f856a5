import { Config } from '../core/config/config.js';
import { Keyring } from '../core/secrets.js';
import { Database } from '../platform/database/database.js';
import { countOutdatedValues } from '../platform/keys/encrypted-columns.js';
import { type ReplicaStatus, readReplicas } from '../platform/replicas/replica-statistics.js';
import { FeatureRegistry } from '../policy/feature-registry.js';
import { assertNoArguments } from './terminal/arguments.js';
import type { Command } from './terminal/command.js';
import { withService } from './terminal/service.js';
import { formatCount, printResult } from './terminal/words.js';

const replicaView = ({ workerId, state }: ReplicaStatus) => {
  const [uses = null, ...accepts] = state?.secrets ?? [];
  return { replica: workerId, host: state?.host ?? null, uses, accepts };
};

type ReplicaView = ReturnType<typeof replicaView>;

/** What a replica lacks for the settings of this command, or undefined. */
function problemOf({ uses, accepts }: ReplicaView, expected: readonly string[]): string | undefined {
  if (uses === null) return 'does not report its secrets. Upgrade it';
  if (uses !== expected[0]) return 'uses another secret. Restart it with the settings of this command';
  const lacksOne = expected.some((id) => id !== uses && !accepts.includes(id));
  return lacksOne ? 'does not accept all secrets. Restart it with the settings of this command' : undefined;
}

function nextStep({ secretNext, secretPrevious }: Config): string {
  if (secretNext) return 'All replicas accept the next secret. Start phase 2 of the rotation.';
  return secretPrevious
    ? 'All replicas and stored values use the current secret. You can remove GATEHOUSE_SECRET_PREVIOUS in an hour.'
    : 'All replicas and stored values use the current secret.';
}

/** Compares the settings of this command, the reports of the replicas and the stored values. */
export const keyStatus: Command = (args, terminal) => {
  assertNoArguments(args);
  return withService(terminal, async (app) => {
    const { manager } = app.get(Database);
    const keyring = app.get(Keyring);
    const config = app.get(Config);
    const secrets = keyring.secretIds;
    const replicas = (await readReplicas(manager)).map(replicaView);
    const outdated = await countOutdatedValues(manager, keyring, app.get(FeatureRegistry).encryptedColumns);
    const count = [...outdated.values()].reduce((sum, one) => sum + one, 0);
    const problems = replicas.flatMap((replica) => {
      const problem = problemOf(replica, secrets);
      return problem === undefined ? [] : [`Replica ${replica.replica} (${replica.host ?? '-'}) ${problem}.`];
    });
    if (count > 0) {
      const isOfOther = `${formatCount(count, 'stored value')} of another secret.`;
      problems.push(`${isOfOther} Run keys rotate --secrets with GATEHOUSE_SECRET_PREVIOUS.`);
    }
    printResult(terminal, { secrets, replicas, outdated: Object.fromEntries(outdated), problems }, [
      `secrets of this command: ${secrets.join(', ')}`,
      ...(replicas.length === 0 ? ['No replica reported in the last 20 seconds.'] : []),
      ...replicas.map(
        ({ replica, host, uses, accepts }) =>
          `replica ${replica}  ${host ?? '-'}  uses ${uses ?? '-'}  also accepts ${accepts.join(', ') || '-'}`,
      ),
      ...[...outdated].map(([name, values]) => `${name}: ${values} of another secret`),
      ...(problems.length > 0 ? problems : [nextStep(config)]),
    ]);
    return problems.length > 0 ? 1 : 0;
  });
};
