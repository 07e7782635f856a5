/**
 * `npm run proof -- <name>`: runs a long proof against real servers, and prints its report in Markdown. The exit code is
 * 1 if a promise is broken. Proofs:
 *
 *   histories  clients and services for half an hour while replicas, servers and services fail. HISTORY_SECONDS sets the
 *              duration. Needs PostgreSQL and Redis on this machine
 *   outages    what a service sees in each second of three outages. Needs PostgreSQL and Redis on this machine
 *   jobs      1,000 background jobs over three replicas, one of which is killed every second. Needs DATABASE_URL
 *   poolers   the e2e suite behind PgBouncer (transaction and session mode) and pgpool-II. Needs TEST_DATABASE_URL. The
 *             environment variable POOLERS limits the poolers, and FILES limits the files with a pattern
 */
import { build } from './build.mjs';
import { answerHelp } from './help.mjs';

answerHelp(import.meta.filename);

const PROOFS = {
  histories: './proofs/histories.mjs',
  outages: './proofs/outages.mjs',
  jobs: './proofs/jobs.mjs',
  poolers: './proofs/poolers.mjs',
};

const path = PROOFS[process.argv[2]];
if (!path) throw new Error(`Name a proof: ${Object.keys(PROOFS).join(', ')}`);
await build();
const { report } = await import(path);
const { text, isKept } = await report();
console.log(text);
process.exit(isKept ? 0 : 1);
