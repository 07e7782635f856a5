import { me } from '../rights.js';
import { type History, type Known, type Minute, NO_HISTORY, type Sample, WINDOW_MS, withinWindow } from './numbers.js';

/** Maps as lists, because JSON has no maps. */
interface Stored {
  readonly known: readonly (readonly [number, Known])[];
  readonly since: number | null;
  readonly latest: Omit<Sample, 'replicas'> & { readonly replicas: readonly [] };
  readonly minutes: readonly (Omit<Minute, 'replicas'> & {
    readonly replicas: readonly (readonly [number, Minute['total']])[];
  })[];
}

const keyNow = (): string => `gatehouse.now.${me.value?.id ?? ''}`;

/** Keeps the history for a reload of this tab. */
export function saveHistory({ known, since, latest, minutes }: History): void {
  if (!latest) return;
  const stored: Stored = {
    known: [...known],
    since,
    latest: { ...latest, replicas: [] },
    minutes: minutes.map((minute) => ({ ...minute, replicas: [...minute.replicas] })),
  };
  try {
    sessionStorage.setItem(keyNow(), JSON.stringify(stored));
  } catch {
    // If the storage is full, a reload starts a new history.
    sessionStorage.removeItem(keyNow());
  }
}

/** The history of this tab, if it is not older than an hour. */
export function storedHistory(now: number): History {
  try {
    const stored = JSON.parse(sessionStorage.getItem(keyNow()) ?? 'null') as Stored | null;
    if (!stored || stored.latest.at < now - WINDOW_MS) return NO_HISTORY;
    const minutes = stored.minutes.map((minute) => ({ ...minute, replicas: new Map(minute.replicas) }));
    const known = new Map(stored.known);
    const replicas = new Map(stored.known.map(([id, { numbers }]) => [id, numbers]));
    const kept = withinWindow(minutes, now);
    return { known, since: stored.since, latest: { ...stored.latest, replicas }, minutes: kept };
  } catch {
    return NO_HISTORY;
  }
}
