import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { api } from '../../core/api.js';
import { usePaged } from '../parts/paged.js';

type Jobs = ResponseBody<paths, '/v1/admin/jobs', 'get'>;
export type Job = Jobs['jobs'][number];
export type Queue = Jobs['queues'][number];
export type State = 'failed' | 'waiting';

// Control characters, bidirectional controls and line separators.
const UNPRINTABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** Escapes characters that are invisible or reorder the text around them. */
export const escapeUnprintable = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The jobs of a state in pages, and the counts of all names as of the last page. */
export function useJobs(state: State) {
  const queues = useSignal<readonly Queue[]>([]);
  const next = useRef<string | null>(null);
  const paged = usePaged<Job>(async (known) => {
    const after = known.length > 0 && next.current !== null ? { after: next.current } : {};
    const response = await api.get('/v1/admin/jobs', { query: { state, ...after } });
    next.current = response.next_after;
    queues.value = response.queues;
    return { items: response.jobs, hasMore: response.has_more };
  }, state);
  return { paged, queues };
}
