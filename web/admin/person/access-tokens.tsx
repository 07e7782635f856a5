import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { signal } from '@preact/signals';
import { api } from '../../core/api.js';
import { formatDateTime, rich, t } from '../../core/language.js';
import { Loading } from '../../kit/loaded.js';
import { toast } from '../../kit/toast.js';
import { isOffered, nameOf } from '../account-actions/account.js';
import { AuditedActionButton, useAuditedAction } from '../parts/audited-action.js';
import type { RecordedProps } from './account.js';
import { useFresh } from './fresh.js';
import { Read } from './read.js';

export const ACCESS_TOKENS = '/v1/admin/users/{user_id}/access-tokens';
const ACCESS_TOKEN = '/v1/admin/users/{user_id}/access-tokens/{token_id}';

type Token = ResponseBody<paths, typeof ACCESS_TOKENS, 'get'>['tokens'][number];

type AccessTokensProps = Pick<RecordedProps, 'user' | 'kept'>;

interface OfToken extends AccessTokensProps {
  readonly token: Token;
  readonly onDeleted: () => void;
}

function Delete({ user, token, onDeleted }: OfToken) {
  const auditedAction = useAuditedAction(async ({ headers }) => {
    await api.delete(ACCESS_TOKEN, { path: { user_id: user.id, token_id: token.id }, headers });
    toast(t('adminActions.deleteTokenDone'));
    onDeleted();
  });
  const values = { name: <bdi key="name">{nameOf(user)}</bdi>, token: <bdi key="token">{token.name}</bdi> };
  return (
    <AuditedActionButton
      label={t('adminActions.deleteToken')}
      title={t('adminActions.deleteTokenTitle')}
      of={auditedAction}
    >
      <p>{rich('adminActions.deleteTokenWhat', values)}</p>
    </AuditedActionButton>
  );
}

const Item = (props: OfToken) => {
  const { name, preview, scopes, networks, created_at: made, expires_at: ends, last_used_at: used } = props.token;
  return (
    <li>
      <div class="stack tight">
        <div class="row">
          <strong>
            <bdi>{name}</bdi>
          </strong>
          <code dir="ltr" class="small quiet">
            gp_…{preview}
          </code>
        </div>
        <span class="small quiet">
          {t('adminActions.tokenMade', { time: formatDateTime(made) })} ·{' '}
          {t('adminActions.tokenExpires', { time: formatDateTime(ends) })} ·{' '}
          {used === null ? t('adminActions.tokenUnused') : t('adminActions.tokenUsed', { time: formatDateTime(used) })}
        </span>
        <code dir="ltr" class="small quiet">
          {[...scopes, ...networks].join(' · ')}
        </code>
      </div>
      {isOffered(props.user, 'people', 'delete', ACCESS_TOKEN) && <Delete {...props} />}
    </li>
  );
};

/** Deleting a token does not load the others again, because each access is recorded. */
const ONCE = signal(0);

function Found(props: AccessTokensProps) {
  const { user, kept } = props;
  const found = useFresh(
    async () => (await api.get(ACCESS_TOKENS, { path: { user_id: user.id } })).tokens,
    ONCE,
    kept.tokens,
  );
  return (
    <Loading of={found}>
      {(tokens) =>
        tokens.length === 0 ? (
          <p class="quiet">{t('adminActions.noTokens')}</p>
        ) : (
          <ul class="list" aria-labelledby="person-tokens">
            {tokens.map((token) => (
              <Item
                key={token.id}
                {...props}
                token={token}
                onDeleted={() => found.take(tokens.filter((one) => one !== token))}
              />
            ))}
          </ul>
        )
      }
    </Loading>
  );
}

/** Personal access tokens of the account. */
export const AccessTokens = (props: AccessTokensProps) => (
  <Read
    id="person-tokens"
    title={t('adminActions.tokens')}
    label={t('adminActions.showTokens')}
    kept={props.kept.tokens}
  >
    <Found {...props} />
  </Read>
);
