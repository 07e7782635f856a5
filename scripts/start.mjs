/** `npm start`: builds if the sources changed, then runs the service in this process. */
import { existsSync } from 'node:fs';
import { build } from './build.mjs';

build();
if (existsSync('.env')) process.loadEnvFile('.env');
await import('../dist/src/main.js');
