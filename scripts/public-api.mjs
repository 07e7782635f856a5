/** `npm run -s public-api > test/public-api.snapshot.txt`: prints the types of everything that the packages export. */
import { join } from 'node:path';
import { build } from './build.mjs';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

await build({ types: true });
const { publicApiOf } = await import('../dist/test/support/public-api.js');
process.stdout.write(publicApiOf(join(import.meta.dirname, '..')));
