/** `npm run cli -- <command>`: builds if the sources changed, then runs the command in this process. */
import { existsSync } from 'node:fs';
import { build } from './build.mjs';

await build();
if (existsSync('.env')) process.loadEnvFile('.env');
await import('../dist/src/cli.js');
