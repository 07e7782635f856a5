/**
 * `npm run describe`: writes what the compiler knows about the responses of the built-in controllers
 * (docs/description.md).
 *
 *   --check   writes nothing, and fails if the file does not match the sources
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

const root = join(import.meta.dirname, '..');
const file = join(root, 'src/description/api-metadata.json');

register('../test/setup/typescript-hooks.js', import.meta.url);
const { describeProject } = await import('../src/description/compiler/describe.ts');
const text = `${JSON.stringify(await describeProject(join(root, 'tsconfig.build.json')), null, 1)}\n`;
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('src/description/api-metadata.json does not match the sources. Run: npm run describe');
  process.exitCode = 1;
}
