import { loadConfig } from './core/config/config.js';
import { catchFaults, giveUp } from './core/faults.js';
import { startFault } from './core/start-fault.js';

catchFaults();
try {
  const config = loadConfig(process.env);
  // Settings that are wrong are told without loading what they are for.
  const [{ createApp }, { run }] = await Promise.all([import('./app.js'), import('./run.js')]);
  await run(await createApp(config));
} catch (error) {
  giveUp(startFault(error));
}
