/**
 * `npm run mutate [-- <part>...]`: changes the sources of each part in every way that Stryker supports, one at a time,
 * and runs the tests of the part. A mutant that no test detects survives. `survivors.json` explains why each survivor
 * is acceptable. `openid` names all parts that begin with `openid-`. Fails if a survivor has no explanation, if an
 * explanation has no survivor, or if the score is too low.
 *
 * `MUTANTS=<file>:<line>-<line>` mutates only these lines, and does not check for explanations without a survivor.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerHelp } from '../scripts/help.mjs';
import { PARTS } from './parts.mjs';
import { detectedByTime, explain, scoreOf } from './survivors.mjs';

answerHelp(import.meta.filename);

const ROOT = join(import.meta.dirname, '..');
const LEAST_SCORE = 90;
/** On a busy machine, a waiting test is not a mutant that hangs. Loading a whole service again takes longest. */
const PATIENCE_MS = 60_000;
const PATIENCE_WITH_SERVICES_MS = 180_000;

if (!existsSync(join(import.meta.dirname, 'node_modules'))) {
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
}
const { Stryker } = await import('@stryker-mutator/core');
const { default: setUp } = await import('../test/setup/global-setup.js');
const { default: tearDown } = await import('../test/setup/global-teardown.js');

async function mutantsOf(part) {
  process.env.MUTATION_PART = JSON.stringify(part);
  return new Stryker({
    mutate: process.env.MUTANTS ? [process.env.MUTANTS] : part.mutate,
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner', './mutation/texts.mjs'],
    ignorers: part.keepsTexts ? ['texts'] : [],
    jest: { projectType: 'custom', configFile: 'mutation/jest.config.js', enableFindRelatedTests: false },
    coverageAnalysis: 'perTest',
    // A new process releases what services and modules leave behind. After thousands of modules, a loader takes seconds
    // for each.
    maxTestRunnerReuse: 40,
    concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 1),
    timeoutMS: part.services ? PATIENCE_WITH_SERVICES_MS : PATIENCE_MS,
    disableTypeChecks: false,
    tempDirName: 'mutation/sandbox',
    cleanTempDir: 'always',
    ignorePatterns: [
      'bench',
      'client',
      'data',
      'deploy',
      'docs',
      'examples',
      ...(part.services ? [] : ['dist', 'web']),
    ],
    reporters: ['progress-append-only'],
    logLevel: 'warn',
    warnings: { slow: false },
    fileLogLevel: 'off',
    allowConsoleColors: false,
  }).runMutationTest();
}

const named = process.argv.slice(2);
const partsOf = (name) => Object.keys(PARTS).filter((part) => part === name || part.startsWith(`${name}-`));
const unknown = named.filter((name) => partsOf(name).length === 0);
if (unknown.length > 0) throw new Error(`no such part: ${unknown}; there are ${Object.keys(PARTS).join(', ')}`);

process.chdir(ROOT);
const explanations = JSON.parse(readFileSync(join(import.meta.dirname, 'survivors.json'), 'utf8'));
const directory = mkdtempSync(join(tmpdir(), 'gatehouse-mutation-'));
process.env.GATEHOUSE_TEST_DIR = directory;
process.env.TMPDIR = directory;
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const parts = named.length > 0 ? named.flatMap(partsOf) : Object.keys(PARTS);
// The description of the sources and the template of the databases come from sources without mutants.
const startServices = parts.some((name) => PARTS[name].services);
if (startServices) await setUp();
let failed = false;
for (const name of parts) {
  const mutants = await mutantsOf(PARTS[name]);
  const { unexplained, equivalent, idle } = explain(mutants, explanations, ROOT);
  const { score, counts } = scoreOf(mutants, equivalent);
  console.log(`\n${name}: ${score.toFixed(1)} % (${counts}; ${equivalent.length} equivalent)`);
  for (const place of detectedByTime(mutants, ROOT)) console.log(`Detected only by a time limit: ${place}`);
  for (const { place, from, to, status } of unexplained) console.log(`${status} ${place}\n  - ${from}\n  + ${to}`);
  const left = process.env.MUTANTS ? [] : idle;
  for (const { file, from, to } of left) console.log(`${file}: explained, but killed or gone\n  - ${from}\n  + ${to}`);
  failed ||= unexplained.length > 0 || left.length > 0 || score < LEAST_SCORE;
}
if (startServices) await tearDown();
process.exit(failed ? 1 : 0);
