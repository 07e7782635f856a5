import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { loadConfig } from './core/config/config.js';
import { logSettings } from './core/config/operation.settings.js';
import { SettingsReader } from './core/config/reader.js';
import { workerSettings } from './core/config/workers.settings.js';
import { exitSafely } from './core/exit-safely.js';
import { Log } from './core/log.js';
import { toStartError } from './core/to-start-error.js';
import { onUncaughtError, reportFatalError } from './core/uncaught-errors.js';
import { assertCompatible, type Extension, settingsOf } from './policy/extension.js';

const FEW_THREADS =
  'password hashes, files and names share the four threads of Node; start by: node -r @gatehouse-auth/server/threads <file>';
const AUTO_IS_ONE = 'WORKERS=auto is one process: there is one core, or the database is embedded';

/**
 * Runs the service and its extension until a signal ends it: reads `.env` of the working directory and the settings,
 * opens the database and listens. Prints an error that an operator can fix in one line and exits with 1. The number of
 * threads cannot be changed here: use `node -r @gatehouse-auth/server/threads`.
 *
 * With several `WORKERS`, this process only starts itself that many times. The code around the call of `start` also
 * runs in each worker.
 */
export async function start(extension: Extension = {}): Promise<void> {
  onUncaughtError();
  const { UV_THREADPOOL_SIZE: threads } = process.env;
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    const read = new SettingsReader(process.env);
    const workers = workerSettings(read);
    if (workers > 1 && cluster.isPrimary) {
      const { runPrimary: lead } = await import('./core/primary.js');
      return await lead(workers, new Log(logSettings(read)));
    }
    assertCompatible(extension);
    const config = loadConfig(process.env, settingsOf(extension));
    // Invalid settings are reported without loading the service.
    const [{ createApp }, { run }] = await Promise.all([import('./app.js'), import('./run.js')]);
    const app = await createApp(config, extension);
    if (!threads) app.get(Log).warn(FEW_THREADS);
    if (config.workers === 1 && process.env.WORKERS?.trim() === 'auto') app.get(Log).info(AUTO_IS_ONE);
    await run(app);
  } catch (error) {
    reportFatalError(toStartError(error));
    // Suppress further failures during exit.
    onUncaughtError(() => {});
    await exitSafely(1);
  }
}
