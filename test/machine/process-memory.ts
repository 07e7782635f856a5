import { readdirSync, readFileSync } from 'node:fs';

const readOr = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended in the meantime.
    return '';
  }
};

/** Resident memory in MiB of a process and of each process that it started, the process itself first. */
export function memoryOf(root: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => [Number(pid), Number(/^PPid:\s+(\d+)/m.exec(readOr(`/proc/${pid}/status`))?.[1])]),
  );
  const isOfRoot = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isOfRoot(parents.get(pid)));
  const children = [...parents.keys()].filter((pid) => pid !== root && isOfRoot(pid));
  return [root, ...children].map((pid) =>
    Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readOr(`/proc/${pid}/status`))?.[1] ?? 0) / 1024),
  );
}
