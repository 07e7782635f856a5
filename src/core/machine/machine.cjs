/**
 * The resources of this process: the limits of its control group, otherwise the whole machine. CommonJS, because the
 * thread pool size depends on it and must be set before any ES module is loaded.
 */
const { readFileSync } = require('node:fs');
const { availableParallelism, totalmem } = require('node:os');
const { join, posix } = require('node:path');

const MIB = 1024 ** 2;
/** Memory of a process under load, with its sockets, without password hashes and image processes. */
const PROCESS_BYTES = 224 * MIB;
/** A smaller image process could not decode a photograph. */
const MIN_IMAGE_BYTES = 128 * MIB;
const MAX_IMAGE_BYTES = 1024 * MIB;
/** Large images leave one of two image processes to small ones. The other half is for the process and its hashes. */
const SMALLEST_BYTES = 4 * MIN_IMAGE_BYTES;

function numbersOf(path) {
  try {
    return readFileSync(path, 'utf8').trim().split(/\s+/).map(Number);
  } catch {
    return [];
  }
}

/** The folder of a control group and its parents. Each can have the lowest limit. */
function* upwards(path) {
  for (let at = path; ; at = posix.dirname(at)) {
    yield at;
    if (at === '/') return;
  }
}

/** The hierarchies and control groups of this process. */
function groupsOf(root) {
  let lines = [];
  try {
    lines = readFileSync(join(root, 'proc/self/cgroup'), 'utf8').trim().split('\n');
  } catch {
    // This system has no control groups.
  }
  return lines.map((line) => {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    return { controllers: controllers.split(','), path };
  });
}

/**
 * The lowest limit that `read` finds: in the groups of this controller (cgroup v1) and in the unified group (cgroup
 * v2).
 */
function lowest(root, controller, read) {
  const found = groupsOf(root).flatMap(({ controllers, path }) => {
    const isUnified = controllers[0] === '';
    if (!isUnified && !controllers.includes(controller)) return [];
    const home = join(root, 'sys/fs/cgroup', isUnified ? '' : controller);
    return [...upwards(path)].map((at) => read(join(home, at), isUnified));
  });
  return Math.min(...found.filter((limit) => limit > 0), Number.POSITIVE_INFINITY);
}

/** CPU time in cores; can be less than one. */
const quotaOf = (folder, isUnified) => {
  const [quota, period] = isUnified
    ? numbersOf(join(folder, 'cpu.max'))
    : [...numbersOf(join(folder, 'cpu.cfs_quota_us')), ...numbersOf(join(folder, 'cpu.cfs_period_us'))];
  return quota / period;
};

const memoryOf = (folder, isUnified) =>
  numbersOf(join(folder, isUnified ? 'memory.max' : 'memory.limit_in_bytes'))[0] ?? Number.NaN;

/** Number of whole cores that this process may use; at least one. `root` and `all` are for tests. */
exports.cores = (root = '/', all = availableParallelism()) =>
  Math.max(1, Math.floor(Math.min(all, lowest(root, 'cpu', quotaOf))));

/** Bytes that this process and its child processes may use. */
exports.memory = (root = '/', all = totalmem()) => Math.min(all, lowest(root, 'memory', memoryOf));

/** How many items of `bytes` each fit into a share of the memory; at least one. */
exports.fitting = (bytes, share, memory = exports.memory()) => Math.max(1, Math.floor((memory * share) / bytes));

/**
 * Concurrent password hashes of all `workers` processes together, `bytes` each. Half of the memory is for the processes
 * and their hashes, the other half for images.
 */
exports.hashesOf = (bytes, workers = 1, cores = exports.cores(), memory = exports.memory()) =>
  Math.max(1, Math.min(cores - 1, Math.floor((memory / 2 - workers * PROCESS_BYTES) / bytes)));

/** Number of worker processes: one per core, limited by memory. */
exports.processes = (cores = exports.cores(), memory = exports.memory()) =>
  Math.min(cores, exports.fitting(SMALLEST_BYTES, 1, memory));

/** Bytes of each image process, so that two for each worker process fit into half of the memory. */
exports.imageBytes = (workers = 1, memory = exports.memory()) =>
  Math.max(MIN_IMAGE_BYTES, Math.min(MAX_IMAGE_BYTES, Math.floor(memory / 4 / workers)));

exports.PROCESS_BYTES = PROCESS_BYTES;
exports.MIN_IMAGE_BYTES = MIN_IMAGE_BYTES;
exports.SMALLEST_BYTES = SMALLEST_BYTES;
