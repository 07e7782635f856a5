import type { SettingsReader } from '../../core/config/reader.js';
import { processes } from '../../core/machine/machine.cjs';

const MAX_WORKERS = 256;

/** The number of worker processes. The primary reads only this setting and leaves all others to the workers. */
export function readWorkers(read: SettingsReader): number {
  const about =
    'Number of processes, or auto for one per core of the container, limited by its memory. The embedded database allows one. Each process has DATABASE_POOL_SIZE connections';
  const value = read.text('WORKERS', about, { shown: '1' });
  if (value === undefined) return 1;
  const isEmbedded = read.peek('DATABASE_URL') === undefined;
  if (value !== 'auto' && !(/^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_WORKERS)) {
    read.fault('WORKERS', `must be auto or a whole number from 1 to ${MAX_WORKERS}`);
    return 1;
  }
  const count = value !== 'auto' ? Number(value) : isEmbedded ? 1 : processes();
  if (count === 1) return 1;
  if (isEmbedded)
    read.fault(
      'WORKERS',
      'must be 1 or auto without DATABASE_URL, because only one process can use the embedded database',
    );
  if (read.peek('WORKER_ID') !== undefined) {
    read.fault('WORKER_ID', `must be unset if WORKERS is ${count}, because each worker needs its own ID`);
  }
  return read.faults.length > 0 ? 1 : count;
}
