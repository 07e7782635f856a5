import { databaseSchema, loadConfig } from '../../features.js';
import { Database } from '../../platform/database/database.js';
import { settingsOf } from '../../policy/extension.js';
import { assertNoArguments } from '../terminal/arguments.js';
import type { Command } from '../terminal/command.js';
import { toCommandError } from '../terminal/to-command-error.js';
import { printResult } from '../terminal/words.js';

export const migrate: Command = async (args, terminal) => {
  const { env, embeddedDatabase, extension = {} } = terminal;
  assertNoArguments(args);
  const config = loadConfig(env, settingsOf(extension));
  const database = await Database.open(config, databaseSchema(extension), embeddedDatabase).catch((error) =>
    Promise.reject(toCommandError(error)),
  );
  try {
    const applied = await database.migrate();
    // An empty database has no previous version.
    const isUpgrade = database.migrations.some(({ names }) => names.length > 0 && !applied.includes(String(names[0])));
    const breaking = database.migrations.flatMap((list) => [...list.breaking]);
    const broken = breaking.filter(([name]) => isUpgrade && applied.includes(name));
    printResult(terminal, { applied, breaks_rollback: Object.fromEntries(broken) }, [
      applied.length > 0 ? `Applied migrations: ${applied.join(', ')}` : 'The database schema is up to date.',
      ...broken.map(([name, reason]) => `The previous version cannot run on this schema: ${reason} (${name})`),
    ]);
    return 0;
  } finally {
    await database.close();
  }
};
