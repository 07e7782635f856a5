import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { type Paged, usePaged } from '../parts/paged.js';

export type Registration = ResponseBody<
  paths,
  '/v1/admin/instance/pending-registrations',
  'get'
>['pending_registrations'][number];

const PAGE = 50;

export const nameOf = ({ username, discriminator }: Registration): string => `${username}#${discriminator}`;

const isAfter = (one: Registration, other: Registration): boolean => BigInt(one.user_id) > BigInt(other.user_id);

/**
 * Loads the next page. Decisions move later items toward the start, so a page that begins too late is requested again
 * at a smaller offset. This way nothing is skipped.
 */
async function following(last: Registration | undefined, known: number) {
  for (let offset = Math.max(0, known - 1); ; offset = Math.max(0, offset - PAGE + 1)) {
    const query = { limit: PAGE, offset };
    const { pending_registrations: page, total } = await api.get('/v1/admin/instance/pending-registrations', { query });
    const [first] = page;
    if (offset > 0 && last && (!first || isAfter(first, last))) continue;
    const items = page.filter((one) => !last || isAfter(one, last));
    return { items, hasMore: offset + page.length < total, total };
  }
}

/** Pending registrations, oldest first. */
export interface Waiting {
  readonly paged: Paged<Registration>;
  readonly total: number;
  readonly isDecided: (registration: Registration) => boolean;
  /** Removes a decided registration. */
  readonly forget: (registration: Registration) => void;
}

export function useWaiting(): Waiting {
  const decided = useSignal<ReadonlySet<string>>(new Set());
  const total = useSignal(0);
  const isDecided = ({ user_id: id }: Registration) => decided.value.has(id);
  const paged = usePaged<Registration>(async (known) => {
    const open = known.filter((one) => !isDecided(one));
    const { total: all, ...page } = await following(known.at(-1), open.length);
    total.value = all;
    return page;
  });
  return {
    paged,
    total: total.value,
    isDecided,
    forget: (registration) => {
      if (isDecided(registration)) return;
      decided.value = new Set([...decided.value, registration.user_id]);
      total.value--;
    },
  };
}
