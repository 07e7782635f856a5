import { InnerLink } from '../../kit/opened.js';
import { can } from '../rights.js';

/** An account as entries and lists name it. */
export interface Summary {
  readonly id: string;
  readonly username: string;
  readonly discriminator: string;
  readonly global_name?: string | null;
}

/** What the service does by itself, and what is done at its command line, is done by this. */
const NOBODY = '0';

export const personPath = (id: string): string => `/admin/person?${new URLSearchParams({ id })}`;

/** An account by its name where it is known, and the way to its page for whoever may see that. */
export function PersonLink({ id, summary }: { readonly id: string; readonly summary?: Summary | null | undefined }) {
  const name = <bdi>{summary ? `${summary.username}#${summary.discriminator}` : id}</bdi>;
  if (id === NOBODY || !can('get', '/v1/admin/users/{user_id}')) return name;
  return <InnerLink href={personPath(id)}>{name}</InnerLink>;
}
