/**
 * What has to be before anything else is loaded: `.env` of the working directory is read, and the number of threads is set.
 *
 * How many threads libuv has for hashing, files and the operator's own names: one for each place there is, so that none
 * waits for another's slow work. It asks once, when the first of them is needed, and loading a module of ECMAScript is
 * such work: therefore this is CommonJS, and runs before everything else.
 */
const { existsSync } = require('node:fs');
const { cpus } = require('node:os');

if (existsSync('.env')) process.loadEnvFile('.env');

const FILES_AND_NAMES = 8;

const cores = cpus().length;
const set = process.env.ARGON2_CONCURRENCY?.trim() ?? '';
const hashes = /^[1-9]\d{0,1}$/.test(set) ? Number(set) : Math.max(1, cores - 1);
const images = Math.min(8, Math.max(2, cores));

process.env.UV_THREADPOOL_SIZE ||= String(hashes + images + FILES_AND_NAMES);
