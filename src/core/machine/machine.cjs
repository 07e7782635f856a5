/**
 * What this process may use of the machine: the limits of its control group, or else all of it. CommonJS, because the size
 * of the thread pool depends on it, and is set before any module of ECMAScript is loaded.
 */
const { readFileSync } = require('node:fs');
const { availableParallelism, totalmem } = require('node:os');
const { join, posix } = require('node:path');

const MIB = 1024 ** 2;
/** A process takes about this much before it serves anything. */
const PROCESS_BYTES = 256 * MIB;

function numbersOf(path) {
  try {
    return readFileSync(path, 'utf8').trim().split(/\s+/).map(Number);
  } catch {
    return [];
  }
}

/** The folder of a control group and those above it: each can have a lower limit than the others. */
function* upwards(path) {
  for (let at = path; ; at = posix.dirname(at)) {
    yield at;
    if (at === '/') return;
  }
}

/** The folder in `/sys/fs/cgroup` and the name of the group there, for each hierarchy that this process belongs to. */
function groupsOf(root) {
  let lines = [];
  try {
    lines = readFileSync(join(root, 'proc/self/cgroup'), 'utf8').trim().split('\n');
  } catch {
    // There are no control groups here.
  }
  return lines.map((line) => {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    return { controllers: controllers.split(','), path };
  });
}

/** The lowest number that `read` finds in the groups with this controller (version 1) and in the one of version 2. */
function lowest(root, controller, read) {
  const found = groupsOf(root).flatMap(({ controllers, path }) => {
    const isUnified = controllers[0] === '';
    if (!isUnified && !controllers.includes(controller)) return [];
    const home = join(root, 'sys/fs/cgroup', isUnified ? '' : controller);
    return [...upwards(path)].map((at) => read(join(home, at), isUnified));
  });
  return Math.min(...found.filter((limit) => limit > 0), Number.POSITIVE_INFINITY);
}

/** Processor time, in cores; it can be less than one. */
const quotaOf = (folder, isUnified) => {
  const [quota, period] = isUnified
    ? numbersOf(join(folder, 'cpu.max'))
    : [...numbersOf(join(folder, 'cpu.cfs_quota_us')), ...numbersOf(join(folder, 'cpu.cfs_period_us'))];
  return quota / period;
};

const memoryOf = (folder, isUnified) =>
  numbersOf(join(folder, isUnified ? 'memory.max' : 'memory.limit_in_bytes'))[0] ?? Number.NaN;

/** Whole cores that this process may keep busy; at least one. `root` and `all` are for tests. */
exports.cores = (root = '/', all = availableParallelism()) =>
  Math.max(1, Math.floor(Math.min(all, lowest(root, 'cpu', quotaOf))));

/** Bytes that this process, and those that it starts, may use. */
exports.memory = (root = '/', all = totalmem()) => Math.min(all, lowest(root, 'memory', memoryOf));

/** How many things of `bytes` each fit into a share of the memory; at least one. */
exports.fitting = (bytes, share, memory = exports.memory()) => Math.max(1, Math.floor((memory * share) / bytes));

/** Password hashes at once of all processes together, each of `bytes`: they use at most a quarter of the memory. */
exports.hashesOf = (bytes, cores = exports.cores(), memory = exports.memory()) =>
  Math.min(Math.max(1, cores - 1), exports.fitting(bytes, 1 / 4, memory));

/** Processes that serve: one per core, as far as the memory reaches. */
exports.processes = (cores = exports.cores(), memory = exports.memory()) =>
  Math.min(cores, exports.fitting(PROCESS_BYTES, 1, memory));
