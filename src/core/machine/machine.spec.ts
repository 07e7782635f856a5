import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cores, fitting, hashesOf, imageBytes, memory, PROCESS_BYTES, processes, SMALLEST_BYTES } from './machine.cjs';

const MIB = 1024 ** 2;
const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true });
});

/** A root folder with these control group files. */
function machine(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-machine-'));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  }
  return root;
}

const V1 = '3:memory:/docker/a\n2:cpuacct,cpu:/docker/a\n0::/';

describe('slots follow the limits of the control group, not the machine', () => {
  test.each<[title: string, files: Record<string, string>, cores: number, mib: number]>([
    ['no control groups', {}, 64, 262_144],
    ['a group without limits', { 'proc/self/cgroup': '0::/a', 'sys/fs/cgroup/a/cpu.max': 'max 100000' }, 64, 262_144],
    [
      'version 2, in a container',
      {
        'proc/self/cgroup': '0::/',
        'sys/fs/cgroup/cpu.max': '200000 100000',
        'sys/fs/cgroup/memory.max': String(512 * MIB),
      },
      ...([2, 512] as const),
    ],
    [
      'version 2, less than a core',
      { 'proc/self/cgroup': '0::/', 'sys/fs/cgroup/cpu.max': '50000 100000', 'sys/fs/cgroup/memory.max': 'max' },
      ...([1, 262_144] as const),
    ],
    [
      'version 2, a service whose slice is narrower',
      {
        'proc/self/cgroup': '0::/slice/service',
        'sys/fs/cgroup/slice/service/cpu.max': 'max 100000',
        'sys/fs/cgroup/slice/service/memory.max': String(2048 * MIB),
        'sys/fs/cgroup/slice/cpu.max': '350000 100000',
        'sys/fs/cgroup/slice/memory.max': String(1024 * MIB),
      },
      ...([3, 1024] as const),
    ],
    [
      'version 1, where the container sees its own group at the top',
      {
        'proc/self/cgroup': V1,
        'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '400000',
        'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
        'sys/fs/cgroup/memory/memory.limit_in_bytes': String(768 * MIB),
      },
      ...([4, 768] as const),
    ],
    [
      'version 1 without limits',
      {
        'proc/self/cgroup': V1,
        'sys/fs/cgroup/cpu/docker/a/cpu.cfs_quota_us': '-1',
        'sys/fs/cgroup/cpu/docker/a/cpu.cfs_period_us': '100000',
        'sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes': '9223372036854771712',
      },
      ...([64, 262_144] as const),
    ],
  ])('%s', (_title, files, expectedCores, expectedMib) => {
    const root = machine(files);
    expect([cores(root, 64), memory(root, 262_144 * MIB) / MIB]).toEqual([expectedCores, expectedMib]);
  });

  test.each([
    [64, 262_144, 63, 64],
    [64, 1024, 15, 2],
    [64, 512, 1, 1],
    [2, 512, 1, 1],
    [1, 128, 1, 1],
  ])('%d cores and %d MiB: %d parallel password hashes, %d processes', (of, mib, hashes, workers) => {
    expect(hashesOf(19 * MIB, 1, of, mib * MIB)).toBe(hashes);
    expect(processes(of, mib * MIB)).toBe(workers);
    expect(fitting(512 * mib * MIB, 1, mib * MIB)).toBe(1);
  });

  test.each([1, 2, 4, 16, 64])('%d cores: processes, password hashes and images fit into the memory', (of) => {
    for (const mib of [SMALLEST_BYTES / MIB, 768, 1024, 2048, 8192, 65_536]) {
      for (const workers of [1, processes(of, mib * MIB)]) {
        const hashes = Math.max(workers, hashesOf(19 * MIB, workers, of, mib * MIB));
        const bytes = imageBytes(workers, mib * MIB);
        const images = Math.max(2 * workers, Math.min(8, of, fitting(bytes, 1 / 2, mib * MIB)));
        const needed = workers * PROCESS_BYTES + hashes * 19 * MIB + images * bytes;
        expect([mib, workers, needed <= mib * MIB]).toEqual([mib, workers, true]);
      }
    }
  });
});
