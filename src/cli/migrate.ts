import { databaseSchema, loadConfig } from '../features.js';
import { Database } from '../platform/database/database.js';
import { settingsOf } from '../policy/extension.js';
import { assertNoArguments } from './terminal/arguments.js';
import type { Command } from './terminal/command.js';
import { toCommandError } from './terminal/to-command-error.js';

export const migrate: Command = async (args, { env, out, embeddedDatabase, extension = {} }) => {
  assertNoArguments(args);
  const config = loadConfig(env, settingsOf(extension));
  const database = await Database.open(config, databaseSchema(extension), embeddedDatabase).catch((error) =>
    Promise.reject(toCommandError(error)),
  );
  try {
    const applied = await database.migrate();
    out(applied.length > 0 ? `Applied migrations: ${applied.join(', ')}` : 'The database schema is up to date.');
    // An empty database has no previous version.
    const isUpgrade = database.migrations.some(({ names }) => names.length > 0 && !applied.includes(String(names[0])));
    const breaking = database.migrations.flatMap((list) => [...list.breaking]);
    for (const [name, reason] of breaking.filter(([name]) => isUpgrade && applied.includes(name))) {
      out(`The previous version cannot run on this schema: ${reason} (${name})`);
    }
    return 0;
  } finally {
    await database.close();
  }
};
