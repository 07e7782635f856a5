import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { exitCalmly } from './core/calm-exit.js';
import { loadConfig } from './core/config/config.js';
import { logSettings } from './core/config/operation.settings.js';
import { SettingsReader } from './core/config/reader.js';
import { workerSettings } from './core/config/workers.settings.js';
import { demandMadeFor, type Extension } from './core/extension.js';
import { catchFaults, tellEnd } from './core/faults.js';
import { Log } from './core/log.js';
import { startFault } from './core/start-fault.js';

const FEW_THREADS =
  'password hashes, files and names share the four threads of Node; start by: node -r gatehouse/threads <file>';
const AUTO_IS_ONE = 'WORKERS=auto is one process: there is one core, or the database is embedded';

/**
 * Runs the service with what a team brings until a signal ends it: reads `.env` of the working directory, the settings,
 * the database, and listens. What an operator can mend is told in one line, and the process ends with 1. The number of
 * threads cannot be set any more: `node -r gatehouse/threads` does.
 *
 * With several `WORKERS` this process starts itself as often as they are, and does no more; what its file does before and
 * after is done in each of them, too.
 */
export async function start(extension: Extension = {}): Promise<void> {
  catchFaults();
  const { UV_THREADPOOL_SIZE: threads } = process.env;
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    const read = new SettingsReader(process.env);
    const workers = workerSettings(read);
    if (workers > 1 && cluster.isPrimary) {
      const { lead } = await import('./core/primary.js');
      return await lead(workers, new Log(logSettings(read)));
    }
    demandMadeFor(extension);
    const config = loadConfig(process.env, extension.settings);
    // Settings that are wrong are told without loading what they are for.
    const [{ createApp }, { run }] = await Promise.all([import('./app.js'), import('./run.js')]);
    const app = await createApp(config, extension);
    if (!threads) app.get(Log).warn(FEW_THREADS);
    if (config.workers === 1 && process.env.WORKERS?.trim() === 'auto') app.get(Log).info(AUTO_IS_ONE);
    await run(app);
  } catch (error) {
    tellEnd(startFault(error));
    // What still fails meanwhile is told no more.
    catchFaults(() => {});
    await exitCalmly(1);
  }
}
