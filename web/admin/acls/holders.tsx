import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Action, useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { withRetry } from '../../core/with-retry.js';
import { Button } from '../../kit/button.js';
import { FailureNotice } from '../../kit/notice.js';
import { Badge } from '../../kit/portrait.js';
import { isErased } from '../parts/flags.js';
import { PersonLink } from '../parts/person-link.js';
import { STATE_WORDS, statesOf } from '../people/states.js';
import { type AdminUser, can } from '../rights.js';
import { ALL_ACLS, grants, inOrder } from './acl.js';
import { AclList } from './choices.js';

/** Maximum number of accounts per request. */
const ACCOUNTS = 100;

const byName = (a: AdminUser, b: AdminUser): number => a.username.localeCompare(b.username);

type Page = ResponseBody<paths, '/v1/admin/users', 'get'>;

/** All accounts that have ACLs, by name. */
async function loadHolders(signal: AbortSignal): Promise<readonly AdminUser[]> {
  const found: AdminUser[] = [];
  let cursor: string | null = null;
  do {
    const query = { has_acls: 'true' as const, limit: ACCOUNTS, ...(cursor === null ? {} : { cursor }) };
    const ask = () => api.get('/v1/admin/users', { query, signal });
    const page: Page = await withRetry(ask, signal, () => {});
    found.push(...page.users.filter((user) => !isErased(user)));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found.sort(byName);
}

/** The accounts with ACLs. They are loaded on request. */
export interface Holders {
  /** Null until loaded. */
  readonly users: readonly AdminUser[] | null;
  readonly load: Action;
  /** Loads the accounts and moves the focus to them. */
  readonly show: () => void;
  readonly heading: RefObject<HTMLHeadingElement | null>;
}

export function useHolders(): Holders {
  const users = useSignal<readonly AdminUser[] | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const load = useAction(async () => {
    const { signal } = leaving.current;
    try {
      users.value = await loadHolders(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  });
  const show = () => {
    heading.current?.focus();
    void load.run();
  };
  return { users: users.value, load, show, heading };
}

export const canLoadHolders = (): boolean => can('get', '/v1/admin/users');

const Holder = ({ user }: { readonly user: AdminUser }) => (
  <li>
    <div class="stack tight">
      <div class="row">
        <strong>
          <PersonLink id={user.id} summary={user} />
        </strong>
        {statesOf(user)
          .filter((state) => state !== 'active')
          .map((state) => (
            <Badge key={state} kind="warn">
              {t(STATE_WORDS[state])}
            </Badge>
          ))}
      </div>
      <span class="small quiet">
        <AclList of={user.acls.includes(ALL_ACLS) ? [ALL_ACLS] : inOrder(user.acls)} mode="all" />
      </span>
    </div>
  </li>
);

interface HolderListProps {
  readonly of: Holders;
  readonly chosen: readonly string[];
}

/** The accounts that have all chosen ACLs. If none are chosen, all accounts with ACLs. */
export function HolderList({ of: { users, load, heading }, chosen }: HolderListProps) {
  const found = users?.filter(({ acls }) => chosen.every((acl) => grants(acls, acl)));
  return (
    <section class="section" aria-labelledby="holders">
      <div class="row between">
        <h2 id="holders" ref={heading} tabIndex={-1}>
          {t('adminAcls.holders')}
        </h2>
        <Button kind="plain" size="small" action={load}>
          {t(users ? 'adminPerson.look' : 'adminAcls.holdersShow')}
        </Button>
      </div>
      <p class="quiet">{t('adminAcls.holdersLead')}</p>
      <FailureNotice of={load} />
      <p role="status" class={found ? undefined : 'unseen'}>
        {found && t(chosen.length > 0 ? 'adminAcls.holdersOfAll' : 'adminAcls.holdersOfAny', { count: found.length })}
      </p>
      {found && found.length > 0 && (
        <ul class="list" aria-label={t('adminAcls.holders')}>
          {found.map((user) => (
            <Holder key={user.id} user={user} />
          ))}
        </ul>
      )}
    </section>
  );
}
