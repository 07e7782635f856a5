import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Action, useAction } from '../../core/action.js';
import { formatDateTime, type TranslationKey, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { InnerLink } from '../../kit/opened.js';
import { Badge } from '../../kit/portrait.js';
import { Empty } from '../../kit/shown.js';
import { PersonLink } from '../parts/person-link.js';
import { type HitKind, runSearch, type SearchHit, type SearchResult, searchesFor } from './search-providers.js';
import { extractSearchTerms, isMintedRequest, type SearchTerms } from './search-terms.js';

/** Maximum number of parallel requests. */
const MAX_PARALLEL_REQUESTS = 4;

type HitOf<S extends HitKind> = Extract<SearchHit, { sort: S }>;

/** Runs all jobs with limited parallelism. Throws the first error after all others are done. */
async function runLimited<T>(jobs: readonly T[], work: (job: T) => Promise<void>): Promise<void> {
  const waiting = [...jobs];
  const next = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await work(job);
  };
  const ends = await Promise.allSettled(Array.from({ length: MAX_PARALLEL_REQUESTS }, next));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}

type Jobs = ReturnType<typeof searchesFor>['jobs'];

interface SearchResults {
  /** Results in the order of the searches. */
  readonly results: readonly SearchResult[];
  /** Retries the searches without results. */
  readonly again: Action;
}

function useSearchResults(jobs: Jobs): SearchResults {
  const responses = useSignal<ReadonlyMap<Jobs[number], SearchResult>>(new Map());
  const again = useAction(() =>
    runLimited(
      jobs.filter((job) => !responses.value.has(job)),
      async (job) => {
        const results = await runSearch(job.ask, job.value);
        responses.value = new Map(responses.value).set(job, results);
      },
    ),
  );
  useEffect(() => void again.run(), [again]);
  return { results: jobs.flatMap((job) => responses.value.get(job) ?? []), again };
}

const Item = ({ children, aside }: { readonly children: ComponentChildren; readonly aside?: ComponentChildren }) => (
  <li>
    <div class="stack tight">{children}</div>
    {aside}
  </li>
);

const Id = ({ of }: { readonly of: string }) => (
  <code class="small quiet" dir="ltr">
    {of}
  </code>
);

const PersonItem = ({ hit: { user } }: { readonly hit: HitOf<'people'> }) => (
  <Item
    aside={
      <span class="row">
        {user.bot && <Badge>{t('adminSearch.bot')}</Badge>}
        {user.banned && <Badge kind="bad">{t('adminSearch.banned')}</Badge>}
      </span>
    }
  >
    <span class="row">
      <PersonLink id={user.id} summary={user} />
      {user.global_name && <bdi>{user.global_name}</bdi>}
    </span>
    <span class="small quiet">
      <code dir="ltr">{user.id}</code>
      {user.created_at && ` · ${t('adminSearch.since', { time: formatDateTime(user.created_at) })}`}
      {user.email && (
        <>
          {' · '}
          <bdi>{user.email}</bdi>
        </>
      )}
    </span>
  </Item>
);

const ApplicationItem = ({ hit: { id, application } }: { readonly hit: HitOf<'applications'> }) => (
  <Item>
    <InnerLink href={`/admin/applications?${new URLSearchParams({ id })}`}>
      <bdi>{application.name}</bdi>
    </InnerLink>
    <Id of={id} />
  </Item>
);

/** Keys of other administrators link to their audit entries. */
const KeyItem = ({ hit: { id, key } }: { readonly hit: HitOf<'keys'> }) => (
  <Item>
    {key ? (
      <InnerLink href={`/admin/keys?${new URLSearchParams({ id })}`}>
        <bdi>{key.name}</bdi>
      </InnerLink>
    ) : (
      <InnerLink href={`/admin/audit?${new URLSearchParams({ target_type: 'admin_api_key', target_id: id })}`}>
        {t('adminSearch.keyOfOthers')}
      </InnerLink>
    )}
    <Id of={id} />
  </Item>
);

const EntryItem = ({ hit: { id, entry } }: { readonly hit: HitOf<'entries'> }) => (
  <Item>
    <InnerLink href={`/admin/audit?${new URLSearchParams({ log_id: id })}`}>
      <code dir="ltr">{entry.action}</code>
    </InnerLink>
    <span class="small quiet">
      {formatDateTime(entry.created_at)} · <PersonLink id={entry.admin_user_id} summary={entry.admin_user} />
    </span>
  </Item>
);

const BanItem = ({ hit: { id, isBanned } }: { readonly hit: HitOf<'bans'> }) => (
  <Item aside={isBanned ? <Badge kind="bad">{t('adminSearch.banned')}</Badge> : undefined}>
    <InnerLink href={`/admin/bans?${new URLSearchParams({ ip: id })}`}>
      <code dir="ltr">{id}</code>
    </InnerLink>
    {!isBanned && <span class="small quiet">{t('adminSearch.notBanned')}</span>}
  </Item>
);

const RequestItem = ({ hit: { id, count } }: { readonly hit: HitOf<'requests'> }) => (
  <Item>
    <InnerLink href={`/admin/audit?${new URLSearchParams({ request_id: id })}`}>
      <code dir="ltr">{id}</code>
    </InnerLink>
    <span class="small quiet">
      {count > 0 ? t('adminSearch.leftEntries', { count }) : t('adminSearch.leftNoEntry')}
    </span>
  </Item>
);

function HitItem({ hit }: { readonly hit: SearchHit }) {
  switch (hit.sort) {
    case 'people':
      return <PersonItem hit={hit} />;
    case 'applications':
      return <ApplicationItem hit={hit} />;
    case 'keys':
      return <KeyItem hit={hit} />;
    case 'entries':
      return <EntryItem hit={hit} />;
    case 'bans':
      return <BanItem hit={hit} />;
    default:
      return <RequestItem hit={hit} />;
  }
}

const TITLES: Readonly<Record<HitKind, TranslationKey>> = {
  people: 'admin.people',
  applications: 'adminApplications.title',
  keys: 'adminSearch.keys',
  bans: 'adminSearch.bans',
  requests: 'adminSearch.requests',
  entries: 'adminSearch.entries',
};
const SORTS = Object.keys(TITLES) as HitKind[];

/** Shows that there are more results, with a link to all of them. */
function More({ of: results, sort }: { readonly of: readonly SearchResult[]; readonly sort: HitKind }) {
  const totals = results.flatMap(({ total }) => (total?.sort === sort && total.count > total.shown ? [total] : []));
  return (
    <>
      {totals.map(({ of, count, shown, href }) => (
        <p key={of} class="small">
          {t('adminSearch.firstOnes', { shown, count, of })}{' '}
          {href && <InnerLink href={href}>{t('adminSearch.all')}</InnerLink>}
        </p>
      ))}
    </>
  );
}

interface SectionProps {
  readonly sort: HitKind;
  readonly hits: readonly SearchHit[];
  readonly told: readonly SearchResult[];
}

const Section = ({ sort, hits, told: results }: SectionProps) => (
  <section class="stack" aria-labelledby={`found-${sort}`}>
    <h2 id={`found-${sort}`}>{t(TITLES[sort])}</h2>
    <ul class="list" aria-labelledby={`found-${sort}`}>
      {hits.map((hit) => (
        <HitItem key={hit.id} hit={hit} />
      ))}
    </ul>
    <More of={results} sort={sort} />
  </section>
);

/** Hides custom request IDs without entries, because any word could be one. */
const isShown = (hit: SearchHit): boolean => hit.sort !== 'requests' || hit.count > 0 || isMintedRequest(hit.id);
/** True for actual matches. "Not banned" and requests without entries do not count. */
const isFound = (hit: SearchHit): boolean =>
  hit.sort === 'bans' ? hit.isBanned : hit.sort !== 'requests' || hit.count > 0;

/** Removes duplicates from several searches. The user's own keys take precedence. */
function distinct(results: readonly SearchResult[]): readonly SearchHit[] {
  const hits = results.flatMap((one) => one.hits).filter(isShown);
  const own = hits.filter((hit) => hit.sort === 'keys' && hit.key !== null);
  return [...new Map([...hits, ...own].map((hit) => [`${hit.sort} ${hit.id}`, hit])).values()];
}

const Lacking = ({ of }: { readonly of: ReadonlyMap<TranslationKey, readonly string[]> }) => (
  <Notice kind="warn" isAnnounced={false}>
    <p>{t('adminSearch.notAsked')}</p>
    <ul class="points">
      {[...of].map(([what, acls]) => (
        <li key={what}>
          {t(what)}:{' '}
          {acls.map((acl, index) => (
            <span key={acl}>
              {index > 0 && ', '}
              <code dir="ltr">{acl}</code>
            </span>
          ))}
        </li>
      ))}
    </ul>
  </Notice>
);

function Found({ finds, isCut }: SearchTerms) {
  const requested = useRef(searchesFor(finds));
  const { jobs, lacking } = requested.current;
  const { results, again } = useSearchResults(jobs);
  const hits = distinct(results);
  const count = hits.filter(isFound).length;
  const isDone = results.length === jobs.length;
  return (
    <>
      <p class="quiet" role="status">
        {again.isBusy.value ? t('common.loading') : isDone && jobs.length > 0 && t('adminSearch.found', { count })}
      </p>
      <FailureNotice of={again} />
      {again.failure.value && (
        <div>
          <Button kind="plain" size="small" action={again}>
            {t('common.retry')}
          </Button>
        </div>
      )}
      {isCut && <Notice kind="warn">{t('adminSearch.cut')}</Notice>}
      {SORTS.map((sort) => ({ sort, hits: hits.filter((hit) => hit.sort === sort) })).map(
        (group) => group.hits.length > 0 && <Section key={group.sort} {...group} told={results} />,
      )}
      {lacking.size > 0 && <Lacking of={lacking} />}
    </>
  );
}

/** Search results for a text, limited by the user's ACLs. */
export function Results({ of: text }: { readonly of: string }) {
  const found = extractSearchTerms(text);
  return found.finds.length > 0 ? <Found {...found} /> : <Empty>{t('adminSearch.nothingToSearch')}</Empty>;
}
