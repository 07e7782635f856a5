import { createApp } from './app.js';
import { loadConfig } from './config.js';
import { catchFaults, giveUp, run } from './run.js';
import { startFault } from './start-fault.js';

catchFaults();
try {
  await run(await createApp(loadConfig(process.env)));
} catch (error) {
  giveUp(startFault(error));
}
