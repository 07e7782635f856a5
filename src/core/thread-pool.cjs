/**
 * What has to be before anything else is loaded: `.env` of the working directory is read, and the number of threads is set.
 *
 * How many threads libuv has for hashing, files and the operator's own names: one for each place there is, so that none
 * waits for another's slow work. It asks once, when the first of them is needed, and loading a module of ECMAScript is
 * such work: therefore this is CommonJS, and runs before everything else.
 */
const { existsSync } = require('node:fs');
const machine = require('./machine/machine.cjs');

if (existsSync('.env')) process.loadEnvFile('.env');

const FILES_AND_NAMES = 8;
/** Of a password hash, unless ARGON2_MEMORY_KIB says more. */
const HASH_BYTES = 19 * 1024 ** 2;

const set = process.env.ARGON2_CONCURRENCY?.trim() ?? '';
const hashes = /^[1-9]\d{0,1}$/.test(set) ? Number(set) : machine.hashesOf(HASH_BYTES);
const images = Math.min(8, Math.max(2, machine.cores()));

process.env.UV_THREADPOOL_SIZE ||= String(hashes + images + FILES_AND_NAMES);
