import { useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { formatDate, rich, t } from '../../core/language.js';
import { ScopeName, type ScopeWords } from '../../core/scopes.js';
import { Ago } from '../../kit/ago.js';
import { ConfirmButton } from '../../kit/confirm-button.js';
import { Loading, useLoaded, useReloadWhenVisible } from '../../kit/loaded.js';
import { useLostFocus } from '../../kit/lost-focus.js';
import { ExpandableForm } from '../../kit/opened.js';
import { RenameButton } from '../../kit/rename-button.js';
import { Empty } from '../../kit/shown.js';
import { SecretsDialogHost } from '../../kit/shown-once.js';
import { toast } from '../../kit/toast.js';
import { CreateForm } from './create.js';
import { loadTokens, TOKENS, type Token } from './token.js';

interface OfToken {
  readonly token: Token;
  readonly onChanged: () => Promise<void>;
}

const Rename = ({ token: { id, name }, onChanged }: OfToken) => (
  <RenameButton
    name={name}
    words={{
      label: t('tokens.rename'),
      title: t('tokens.renameTitle'),
      field: t('tokens.name'),
      submit: t('tokens.save'),
      done: t('account.saved'),
    }}
    rename={(next) => api.patch(`${TOKENS}/{id}`, { path: { id }, body: { name: next } })}
    onRenamed={onChanged}
  />
);

function Delete({ token: { id, name }, onChanged }: OfToken) {
  const remove = useAction(
    async () => {
      await api.delete(`${TOKENS}/{id}`, { path: { id } });
      toast(t('tokens.deleted'));
      await onChanged();
    },
    {
      onError: async ({ code }) => {
        const isGone = code === 'UNKNOWN_TOKEN';
        if (isGone) await onChanged();
        return isGone;
      },
    },
  );
  return (
    <ConfirmButton label={t('tokens.delete')} title={t('tokens.deleteTitle', { name })} action={remove} size="small">
      <p>{t('tokens.deleteWhat')}</p>
    </ConfirmButton>
  );
}

const Item = ({ token, words, onChanged }: OfToken & { readonly words: ScopeWords }) => (
  <li>
    <div class="stack tight">
      <div class="row">
        <strong>
          <bdi>{token.name}</bdi>
        </strong>
        <code dir="ltr" class="small quiet">
          gp_…{token.preview}
        </code>
      </div>
      <span class="small quiet">
        {t('tokens.expires', { day: formatDate(token.expires_at) })} ·{' '}
        {token.last_used_at === null
          ? t('tokens.neverUsed')
          : rich('tokens.used', { time: <Ago key="time" time={token.last_used_at} /> })}{' '}
        · {t('tokens.made', { day: formatDate(token.created_at) })}
      </span>
      <ul class="points">
        {token.scopes.map((scope) => (
          <li key={scope} class="small">
            <ScopeName name={scope} words={words} />
          </li>
        ))}
      </ul>
      <span class="small quiet">
        {token.networks.length === 0
          ? t('tokens.everywhere')
          : rich('tokens.onlyFrom', {
              networks: (
                <bdi key="networks" dir="ltr">
                  {token.networks.join(', ')}
                </bdi>
              ),
            })}
      </span>
    </div>
    <div class="row">
      <Rename token={token} onChanged={onChanged} />
      <Delete token={token} onChanged={onChanged} />
    </div>
  </li>
);

function Tokens() {
  const loaded = useLoaded(loadTokens);
  const heading = useRef<HTMLHeadingElement>(null);
  useLostFocus(heading);
  const known = loaded.value.value;
  const { run: changed } = loaded.again;
  useReloadWhenVisible(changed);
  return (
    <>
      <section class="section" aria-labelledby="tokens">
        <h2 id="tokens" ref={heading} tabIndex={-1}>
          {t('tokens.yours')}
        </h2>
        <p class="quiet">{t('tokens.what')}</p>
        <Loading of={loaded}>
          {({ tokens, words }) =>
            tokens.length === 0 ? (
              <Empty>{t('tokens.none')}</Empty>
            ) : (
              <ul class="list" aria-labelledby="tokens">
                {tokens.map((token) => (
                  <Item key={token.id} token={token} words={words} onChanged={changed} />
                ))}
              </ul>
            )
          }
        </Loading>
      </section>
      {known && (
        <ExpandableForm label={t('tokens.create')}>
          {(fold) => <CreateForm {...known} onCancel={fold} onCreated={changed} />}
        </ExpandableForm>
      )}
      <SecretsDialogHost />
    </>
  );
}

/** Personal access tokens of the user. */
export default () => (brand.tokenDays === 0 ? <Empty>{t('tokens.off')}</Empty> : <Tokens />);
