import type { paths, ResponseBody } from '@gatehouse-auth/client';
import type { ComponentChildren } from 'preact';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { formatDate, rich, type TranslationKey, t } from '../../core/language.js';
import { Ago } from '../../kit/ago.js';
import { Button } from '../../kit/button.js';
import { ConfirmButton } from '../../kit/confirm-button.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { InnerLink } from '../../kit/opened.js';
import { Empty } from '../../kit/shown.js';
import { toast } from '../../kit/toast.js';
import { type Connection, offeredConnections } from '../../sign-in/connections.js';
import { ProviderIcon } from '../../sign-in/provider-icon.js';
import { visitProvider } from '../../sign-in/provider-start.js';
import { loadService, service } from '../../sign-in/service.js';
import { user } from '../account.js';

type Identity = ResponseBody<paths, '/v1/users/@me/identities', 'get'>['identities'][number];

interface Methods {
  readonly identities: readonly Identity[];
  readonly passkeys: number;
  readonly hasApp: boolean;
}

const PATH = '/account/sign-in-methods';

async function loadMethods(): Promise<Methods> {
  const [{ identities }, passkeys, { totp }] = await Promise.all([
    api.get('/v1/users/@me/identities'),
    api.get('/v1/users/@me/mfa/webauthn/credentials'),
    api.get('/v1/users/@me/sudo/mfa-methods'),
    loadService(),
  ]);
  return { identities, passkeys: passkeys.length, hasApp: totp };
}

/** The identities that can sign in now, because their connection is enabled. */
const usableOf = (identities: readonly Identity[]): readonly Identity[] =>
  identities.filter(({ connection_id: id }) => service.value?.connections.some((one) => one.id === id));

interface OwnMethodProps {
  readonly title: TranslationKey;
  readonly path: string;
  readonly label: TranslationKey;
  readonly children: ComponentChildren;
}

/** A method with a view of its own. */
const OwnMethod = ({ title, path, label, children }: OwnMethodProps) => (
  <li class="entry">
    <div class="stack tight">
      <strong>{t(title)}</strong>
      <span class="small quiet">{children}</span>
    </div>
    <a href={path} aria-label={`${t(label)}: ${t(title)}`}>
      {t(label)}
    </a>
  </li>
);

function OwnMethods({ of: { passkeys, hasApp } }: { readonly of: Methods }) {
  const changed = user.value?.password_last_changed_at ?? null;
  return (
    <ul class="list" aria-label={t('signInMethods.title')}>
      <OwnMethod
        title="account.password"
        path="/account/password"
        label={changed === null ? 'account.add' : 'account.change'}
      >
        {changed === null ? t('account.noPassword') : rich('account.passwordAge', { time: <Ago time={changed} /> })}
      </OwnMethod>
      <OwnMethod
        title="passkeys.title"
        path="/account/passkeys"
        label={passkeys === 0 ? 'account.add' : 'account.manage'}
      >
        {passkeys === 0 ? t('passkeys.none') : t('account.passkeysHeld', { count: passkeys })}
      </OwnMethod>
      <OwnMethod
        title="factors.authenticator"
        path="/account/factors"
        label={hasApp ? 'account.manage' : 'factors.enable'}
      >
        {t(hasApp ? 'factors.authenticatorOn' : 'factors.authenticatorOff')}
      </OwnMethod>
    </ul>
  );
}

interface IdentityProps {
  readonly of: Identity;
  readonly isLast: boolean;
  readonly onChanged: () => Promise<void>;
}

const OnlyWay = () => (
  <Notice kind="warn" isAnnounced={false}>
    <p>{t('signInMethods.onlyOne')}</p>
    <p>
      <InnerLink href="/account/password">{t('account.password')}</InnerLink> ·{' '}
      <InnerLink href="/account/passkeys">{t('passkeys.title')}</InnerLink>
    </p>
  </Notice>
);

function LinkedIdentity({ of, isLast, onChanged }: IdentityProps) {
  const { id, connection_id: connection, display_name: provider, email, linked_at: linked, last_used_at: used } = of;
  const icon = service.value?.connections.find((one) => one.id === connection)?.icon ?? '';
  const unlink = useAction(
    async () => {
      await api.delete('/v1/users/@me/identities/{identity_id}', { path: { identity_id: id } });
      toast(t('signInMethods.unlinked', { provider }));
      await onChanged();
    },
    {
      onError: async ({ code }) => {
        const isGone = code === 'UNKNOWN_IDENTITY';
        if (isGone) await onChanged();
        return isGone;
      },
    },
  );
  return (
    <li class="entry">
      <ProviderIcon icon={icon} />
      <div class="stack tight">
        <strong>
          <bdi>{provider}</bdi>
        </strong>
        {email !== null && <bdi class="small">{email}</bdi>}
        <span class="small quiet">
          {t('signInMethods.linkedOn', { day: formatDate(linked) })}
          {used !== null && <> · {rich('account.lastUsed', { time: <Ago time={used} /> })}</>}
        </span>
      </div>
      <ConfirmButton
        size="small"
        label={t('signInMethods.unlink')}
        title={t('signInMethods.unlinkTitle', { provider })}
        action={unlink}
      >
        {isLast ? <OnlyWay /> : <p>{t('signInMethods.unlinkWhat')}</p>}
      </ConfirmButton>
    </li>
  );
}

function LinkButton({ of: { id, icon, display_name: provider } }: { readonly of: Connection }) {
  const start = useAction(() =>
    visitProvider(
      (nonceHash) => api.post('/v1/users/@me/identities/start', { body: { connection_id: id, nonce_hash: nonceHash } }),
      { isKept: false, returnTo: PATH, connection: id, isLink: true },
    ),
  );
  return (
    <li>
      <FailureNotice of={start} />
      <Button kind="plain" action={start}>
        <ProviderIcon icon={icon} />
        {t('signInMethods.link', { provider })}
      </Button>
    </li>
  );
}

interface LinkedProps {
  readonly of: Methods;
  readonly onChanged: () => Promise<void>;
}

function Linked({ of: { identities, passkeys }, onChanged }: LinkedProps) {
  const open = offeredConnections().filter(({ id }) => !identities.some((one) => one.connection_id === id));
  if (identities.length === 0 && open.length === 0) return null;
  const hasOther = passkeys > 0 || (user.value?.password_last_changed_at ?? null) !== null;
  const usable = usableOf(identities);
  const isLast = (one: Identity) => !hasOther && usable.every(({ id }) => id === one.id);
  return (
    <section class="section" aria-labelledby="linked">
      <h2 id="linked">{t('signInMethods.linked')}</h2>
      <p class="quiet">{t('signInMethods.linkedLead')}</p>
      {identities.some(isLast) && <OnlyWay />}
      {identities.length === 0 ? (
        <Empty>{t('signInMethods.none')}</Empty>
      ) : (
        <ul class="list" aria-labelledby="linked">
          {identities.map((one) => (
            <LinkedIdentity key={one.id} of={one} isLast={isLast(one)} onChanged={onChanged} />
          ))}
        </ul>
      )}
      {open.length > 0 && (
        <ul class="providers start" aria-label={t('signIn.providers')}>
          {open.map((one) => (
            <LinkButton key={one.id} of={one} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** All ways to sign in to the account. */
export default function SignInMethods() {
  const methods = useLoaded(loadMethods, ['USER_UPDATE', 'WEBAUTHN_CREDENTIALS_UPDATE']);
  return (
    <section class="stack roomy" tabIndex={-1} aria-label={t('signInMethods.title')}>
      <p class="quiet">{t('signInMethods.lead')}</p>
      <Loading of={methods}>
        {(known) => (
          <>
            <OwnMethods of={known} />
            <Linked of={known} onChanged={() => methods.again.run()} />
          </>
        )}
      </Loading>
    </section>
  );
}
