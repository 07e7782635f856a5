import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { type Signal, useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { formatDate, t } from '../../core/language.js';
import { loadScopeWords, ScopeName, type ScopeWords } from '../../core/scopes.js';
import { ConfirmButton } from '../../kit/confirm-button.js';
import { Choice } from '../../kit/field.js';
import { type Loaded, Loading, useLoaded } from '../../kit/loaded.js';
import { Badge, Portrait } from '../../kit/portrait.js';
import { Empty } from '../../kit/shown.js';
import { toast } from '../../kit/toast.js';
import { deviceOf, EndButton, type OfSessions } from '../sessions/device.js';
import type { Session } from '../sessions/session.js';

type Connection = ResponseBody<paths, '/v1/oauth2/@me/authorizations', 'get'>[number];

interface Connections {
  readonly all: readonly Connection[];
  readonly sessions: readonly Session[];
  readonly words: ScopeWords;
}

/** Maximum number of applications per request (oauth.md 5.11). */
const MAX_IDS_PER_REQUEST = 100;

async function loadConnections(): Promise<Connections> {
  const [all, sessions] = await Promise.all([api.get('/v1/oauth2/@me/authorizations'), api.get('/v1/auth/sessions')]);
  return { all, sessions, words: await loadScopeWords(all.flatMap(({ scopes }) => scopes)) };
}

/** The devices on which the user is signed in at an application. */
const SignIns = ({ sessions, onEnded }: { readonly sessions: readonly Session[] } & OfSessions) => (
  <>
    <p class="small">{t('connections.signedIn')}</p>
    <ul class="points">
      {sessions.map((session) => (
        <li key={session.id_hash} class="row">
          <bdi>{deviceOf(session)}</bdi>
          {session.current ? (
            <Badge kind="good">{t('sessions.thisOne')}</Badge>
          ) : (
            <EndButton session={session} onEnded={onEnded} />
          )}
        </li>
      ))}
    </ul>
  </>
);

interface ConnectionProps {
  readonly connection: Connection;
  /** The sessions of the user in which the application signed them in. */
  readonly sessions: readonly Session[];
  readonly words: ScopeWords;
  readonly isChosen: boolean;
  readonly onChosen: (isChosen: boolean) => void;
  readonly onRemoved: () => Promise<void>;
}

function Entry({ connection, sessions, words, isChosen, onChosen, onRemoved }: ConnectionProps) {
  const { application, scopes, authorized_at: since, by_platform: isByPlatform } = connection;
  const { id: applicationId, name } = application;
  const remove = useAction(
    async () => {
      await api.delete('/v1/oauth2/@me/authorizations/{applicationId}', { path: { applicationId } });
      toast(t('connections.removed'));
      await onRemoved();
    },
    {
      onError: async ({ code }) => {
        const isGone = code === 'UNKNOWN_APPLICATION';
        if (isGone) await onRemoved();
        return isGone;
      },
    },
  );
  return (
    <li class="entry">
      <Choice
        name={applicationId}
        label={<span class="unseen">{t('connections.choose', { application: name })}</span>}
        checked={isChosen}
        onChecked={onChosen}
      />
      <Portrait id={applicationId} name={name} picture={application.icon} />
      <div class="stack tight">
        <h2>
          <bdi>{name}</bdi>
        </h2>
        {application.description && <p dir="auto">{application.description}</p>}
        <ul class="points">
          {scopes.map((scope) => (
            <li key={scope}>
              <ScopeName name={scope} words={words} />
            </li>
          ))}
        </ul>
        <p class="small quiet">
          {isByPlatform
            ? t('connections.byPlatform', { product: brand.product, day: formatDate(since) })
            : t('connections.since', { day: formatDate(since) })}
        </p>
        {sessions.length > 0 && <SignIns sessions={sessions} onEnded={onRemoved} />}
      </div>
      <ConfirmButton
        kind="plain"
        size="small"
        label={t('connections.remove')}
        title={t('connections.removeTitle', { application: name })}
        action={remove}
      >
        <p>{t('connections.removeWhat')}</p>
      </ConfirmButton>
    </li>
  );
}

interface SeveralProps {
  readonly ids: readonly string[];
  readonly chosen: Signal<ReadonlySet<string>>;
  readonly onRemoved: () => Promise<void>;
}

/** Removes the selected connections. Each request removes all of its connections or none. */
function Several({ ids, chosen, onRemoved }: SeveralProps) {
  const marked = ids.filter((id) => chosen.value.has(id));
  const remove = useAction(
    async () => {
      for (let at = 0; at < marked.length; at += MAX_IDS_PER_REQUEST) {
        const body = { application_ids: marked.slice(at, at + MAX_IDS_PER_REQUEST) };
        await api.post('/v1/oauth2/@me/authorizations/revoke', { body });
      }
      toast(t('connections.removed'));
      await onRemoved();
    },
    {
      // One of them no longer exists. Reload, so that the user can submit the rest again.
      onError: async ({ code }) => {
        if (code === 'UNKNOWN_APPLICATION') await onRemoved();
        return false;
      },
    },
  );
  return (
    <div class="row between">
      <Choice
        name="all"
        label={t('connections.all')}
        checked={marked.length === ids.length}
        onChecked={(isChosen) => {
          chosen.value = new Set(isChosen ? ids : []);
        }}
      />
      {marked.length > 0 && (
        <ConfirmButton
          size="small"
          label={t('connections.removeChosen', { count: marked.length })}
          title={t('connections.removeChosenTitle')}
          action={remove}
        >
          <p>{t('connections.removeChosenWhat')}</p>
        </ConfirmButton>
      )}
    </div>
  );
}

function List({
  of: { all, sessions, words },
  loaded,
}: {
  readonly of: Connections;
  readonly loaded: Loaded<Connections>;
}) {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const ids = all.map(({ application }) => application.id);
  const choose = (id: string, isChosen: boolean) => {
    const others = [...chosen.value].filter((other) => other !== id);
    chosen.value = new Set(isChosen ? [...others, id] : others);
  };
  const reload = () => loaded.again.run();
  if (all.length === 0) return <Empty>{t('connections.none')}</Empty>;
  return (
    <>
      {all.length > 1 && <Several ids={ids} chosen={chosen} onRemoved={reload} />}
      <ul class="list">
        {all.map((connection) => (
          <Entry
            key={connection.application.id}
            connection={connection}
            sessions={sessions.filter(({ id_hash }) => connection.session_id_hashes.includes(id_hash))}
            words={words}
            isChosen={chosen.value.has(connection.application.id)}
            onChosen={(isChosen) => choose(connection.application.id, isChosen)}
            onRemoved={reload}
          />
        ))}
      </ul>
    </>
  );
}

/** Connected applications with their permissions, and buttons to revoke access. */
export default function ConnectedApplications() {
  const loaded = useLoaded(loadConnections);
  return (
    <section class="section" tabIndex={-1} aria-label={t('connections.title')}>
      <p class="quiet">{t('connections.lead')}</p>
      <Loading of={loaded}>{(known) => <List of={known} loaded={loaded} />}</Loading>
    </section>
  );
}
