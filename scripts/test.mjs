/**
 * Builds what the tests need and runs jest.
 *
 *   npm test                      the core (test/setup/tiers.js)
 *   npm run test:all              every file; on Fastify without the files of the core that do not depend on the platform
 *   npm test -- --beyond-core     every file outside the core
 *   npm test -- --on-both         the files outside the core that depend on the platform
 *   npm test -- --behind-pooler   files whose statements differ most, for runs with TEST_POOLER
 *   npm test -- <arguments>       jest with these arguments
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { behindPooler, beyondCore, onBoth, once } from '../test/setup/tiers.js';
import { build } from './build.mjs';
import { answerHelp } from './help.mjs';
import { installPackages } from './packages.mjs';

answerHelp(import.meta.filename);

const filesOf = (groups) => groups.flatMap(({ files }) => files);

function leaveOut(groups) {
  for (const { files, reason } of groups) console.log(`Not part of this run (${reason}):\n  ${files.join('\n  ')}`);
  const names = filesOf(groups).map((path) => `/${path.replaceAll('.', '\\.')}$`);
  return ['--testPathIgnorePatterns', '/node_modules/', ...names];
}

function argumentsOf([first, ...more]) {
  if (first === undefined) return leaveOut(beyondCore());
  for (const folder of ['test', 'scripts']) installPackages(folder);
  if (first === '--all') return process.env.HTTP_PLATFORM === 'fastify' ? [...leaveOut(once()), ...more] : more;
  if (first === '--beyond-core') return [...more, '--runTestsByPath', ...filesOf(beyondCore())];
  if (first === '--on-both') return [...more, '--runTestsByPath', ...filesOf(onBoth())];
  if (first === '--behind-pooler') return [...more, '--runTestsByPath', ...filesOf(behindPooler())];
  return [first, ...more];
}

await build({ types: true, guides: false });
const args = argumentsOf(process.argv.slice(2));
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const { status } = spawnSync(process.execPath, ['--no-warnings', jest, ...args], {
  cwd: join(import.meta.dirname, '..'),
  stdio: 'inherit',
});
process.exit(status ?? 1);
