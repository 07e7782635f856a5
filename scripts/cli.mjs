/** `npm run cli -- <command>`: builds if the sources have changed, then runs the command in this process. */
import { build } from './build.mjs';

await build();
await import('../dist/src/cli.js');
