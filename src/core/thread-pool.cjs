/**
 * Runs before anything else is loaded: reads `.env` of the working directory and sets the number of libuv threads.
 *
 * libuv uses the threads for hashing, files and DNS lookups of the operator's host names. Each concurrent task gets its
 * own thread, so that none waits for slow work. libuv reads the size once, when it needs the first thread. Loading an ES
 * module already needs one. Therefore this file is CommonJS.
 */
require('./require-node.cjs');
const { existsSync } = require('node:fs');
const machine = require('./machine/machine.cjs');

if (existsSync('.env')) process.loadEnvFile('.env');

const FILES_AND_NAMES = 8;
/** Memory of a password hash, unless ARGON2_MEMORY_KIB is larger. */
const HASH_BYTES = 19 * 1024 ** 2;

const set = process.env.ARGON2_CONCURRENCY?.trim() ?? '';
const hashes = /^[1-9]\d{0,1}$/.test(set) ? Number(set) : machine.hashesOf(HASH_BYTES);
const images = Math.min(8, Math.max(2, machine.cores()));

process.env.UV_THREADPOOL_SIZE ||= String(hashes + images + FILES_AND_NAMES);
