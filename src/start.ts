import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { SettingsReader } from './core/config/reader.js';
import { exitSafely } from './core/exit-safely.js';
import { Log } from './core/log.js';
import { toStartError } from './core/to-start-error.js';
import { onUncaughtError, readFatalErrorFormat, reportFatalError } from './core/uncaught-errors.js';
import { LogSettings } from './platform/settings/log.settings.js';
import { readWorkers } from './platform/settings/workers.settings.js';
import { assertCompatible, type Extension, settingsOf } from './policy/extension.js';
import { ServiceSettings } from './service/service.settings.js';

const FEW_THREADS =
  'password hashes, files and names share the four threads of Node; start by: node -r @gatehouse-auth/server/threads <file>';
const AUTO_IS_ONE = 'WORKERS=auto is one process: there is one core, or the database is embedded';

/**
 * Runs the service and its extension until a signal ends it: reads `.env` of the working directory and the settings,
 * opens the database and listens. Prints an error that an operator can fix in one line and exits with 1. The number of
 * threads cannot be changed here. `node -r` with the entry `threads` of the package sets it.
 *
 * With several `WORKERS`, this process only starts itself that many times. The code around the call of `start` also
 * runs in each worker.
 */
export async function start(extension: Extension = {}): Promise<void> {
  onUncaughtError();
  const { UV_THREADPOOL_SIZE: threads } = process.env;
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
    readFatalErrorFormat(process.env);
    const read = new SettingsReader(process.env);
    const workers = readWorkers(read);
    if (workers > 1 && cluster.isPrimary) {
      const { runPrimary: lead } = await import('./workers/primary.js');
      return await lead(workers, new Log({ ...read.of(LogSettings), ...read.of(ServiceSettings) }));
    }
    assertCompatible(extension);
    // Loaded late, because the primary needs only the code for its settings and the log.
    const [{ createApp }, { loadConfig }, { run }, { createWithDatabase }] = await Promise.all([
      import('./app.js'),
      import('./features.js'),
      import('./run.js'),
      import('./service/wait-for-database.js'),
    ]);
    const config = loadConfig(process.env, settingsOf(extension));
    const log = new Log(config);
    const { created: app, freePort } = await createWithDatabase(config, log, () => createApp(config, extension));
    if (!threads) app.get(Log).warn(FEW_THREADS);
    if (config.workers === 1 && process.env.WORKERS?.trim() === 'auto') app.get(Log).info(AUTO_IS_ONE);
    freePort();
    await run(app);
  } catch (error) {
    reportFatalError(toStartError(error));
    // Suppress further failures during exit.
    onUncaughtError(() => {});
    await exitSafely(1);
  }
}
