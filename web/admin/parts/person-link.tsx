import { InnerLink } from '../../kit/opened.js';
import { can } from '../rights.js';

/** An account in entries and lists. */
export interface Summary {
  readonly id: string;
  readonly username: string;
  readonly discriminator: string;
  readonly global_name?: string | null;
}

/** The account ID of automatic operations and of the command line. */
const SYSTEM_ACCOUNT_ID = '0';

/** The path of the page of an account. Links of earlier versions are `/admin/person?id=`. */
export const ACCOUNT_PATH = /^\/admin\/people\/(\d{1,20})$/;

export const personPath = (id: string): string => `/admin/people/${encodeURIComponent(id)}`;

/** The name of an account, as a link if the user may open it. */
export function PersonLink({ id, summary }: { readonly id: string; readonly summary?: Summary | null | undefined }) {
  const name = <bdi>{summary ? `${summary.username}#${summary.discriminator}` : id}</bdi>;
  if (id === SYSTEM_ACCOUNT_ID || !can('get', '/v1/admin/users/{user_id}')) return name;
  return <InnerLink href={personPath(id)}>{name}</InnerLink>;
}
