/** Preloaded into a process: shows it the limits of `FAKE_CGROUP` (`<MiB>,<cores>`) in the files of a control group. */
const fs = require('node:fs');

const [mib, cores] = (process.env.FAKE_CGROUP ?? '').split(',').map(Number);
const FILES = new Map([
  ['/proc/self/cgroup', '0::/'],
  ['/sys/fs/cgroup/memory.max', String(mib * 1024 ** 2)],
  ['/sys/fs/cgroup/cpu.max', `${cores * 100_000} 100000`],
]);
const { readFileSync } = fs;
fs.readFileSync = (path, ...options) => FILES.get(path) ?? readFileSync(path, ...options);
