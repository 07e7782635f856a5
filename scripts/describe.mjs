/** `node scripts/describe.mjs <file>`: writes the description of the current sources without a build, for tests. */

import { writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';

register('../test/setup/typescript-hooks.js', import.meta.url);
const { describeProject } = await import('../src/description/compiler/describe.ts');
const described = await describeProject(join(import.meta.dirname, '../tsconfig.build.json'));
writeFileSync(process.argv[2], JSON.stringify(described));
