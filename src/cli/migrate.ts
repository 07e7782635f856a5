import { loadConfig } from '../core/config/config.js';
import { Database } from '../platform/database/database.js';
import { demandNothing } from './arguments.js';
import type { Command } from './command.js';
import { explained } from './explained.js';

export const migrate: Command = async (args, { env, out }) => {
  demandNothing(args);
  const database = await Database.open(loadConfig(env)).catch((error) => Promise.reject(explained(error)));
  try {
    const applied = await database.migrate();
    out(applied.length > 0 ? `applied: ${applied.join(', ')}` : 'the schema is current');
    return 0;
  } finally {
    await database.close();
  }
};
