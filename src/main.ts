import { createApp } from './app.js';
import { loadConfig, StartError } from './config.js';
import { run } from './run.js';

try {
  await run(await createApp(loadConfig(process.env)));
} catch (error) {
  if (error instanceof StartError) console.error(error.message);
  else console.error(error instanceof Error ? (error.stack ?? error.message) : error);
  process.exit(1);
}
