import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { formatDateTime, rich, t } from '../../core/language.js';
import { Ago } from '../../kit/ago.js';
import { Button } from '../../kit/button.js';
import { ConfirmButton } from '../../kit/confirm-button.js';
import { Field, fieldOf } from '../../kit/field.js';
import { type Loaded, Loading } from '../../kit/loaded.js';
import { useLostFocus } from '../../kit/lost-focus.js';
import { FailureNotice } from '../../kit/notice.js';
import { ExpandableForm } from '../../kit/opened.js';
import { secretsToShow } from '../../kit/shown-once.js';
import { toast } from '../../kit/toast.js';

export const BOT_TOKENS = '/v1/oauth2/applications/{id}/bot/tokens';
/** Maximum number of tokens of a bot (tokens.md section 2). */
const MAX_TOKENS = 3;

export type BotToken = ResponseBody<paths, typeof BOT_TOKENS, 'get'>['tokens'][number];

interface BotTokensProps {
  /** The ID of the application. */
  readonly id: string;
  readonly loaded: Loaded<BotToken[]>;
}

function CreateForm({ id, loaded, onCancel }: BotTokensProps & { readonly onCancel: () => void }) {
  const name = useSignal('');
  const create = useAction(
    async () => {
      const { token } = await api.post(BOT_TOKENS, { path: { id }, body: { name: name.value } });
      secretsToShow.value = {
        title: t('applications.newToken'),
        secrets: { [t('applications.botToken')]: token },
        onKept: onCancel,
      };
      await loaded.again.run();
    },
    { fields: ['name'] },
  );
  return (
    <form class="stack" onSubmit={create.run} aria-label={t('applications.tokenCreate')}>
      <FailureNotice of={create} />
      <Field
        {...fieldOf(name, create, 'name')}
        label={t('applications.tokenName')}
        hint={t('applications.tokenNameHint')}
        required
        maxLength={100}
      />
      <div class="actions">
        <Button kind="plain" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button submits action={create}>
          {t('applications.tokenCreateSubmit')}
        </Button>
      </div>
    </form>
  );
}

function Delete({ id, loaded, token }: BotTokensProps & { readonly token: BotToken }) {
  const remove = useAction(async () => {
    await api.delete(`${BOT_TOKENS}/{token_id}`, { path: { id, token_id: token.id } });
    toast(t('applications.tokenDeleted'));
    await loaded.again.run();
  });
  return (
    <ConfirmButton
      label={t('applications.tokenDelete')}
      title={t('applications.tokenDeleteTitle', { name: token.name })}
      action={remove}
      size="small"
    >
      <p>{t('applications.tokenDeleteWhat')}</p>
    </ConfirmButton>
  );
}

const Item = ({ isOnly, ...props }: BotTokensProps & { readonly token: BotToken; readonly isOnly: boolean }) => {
  const { name, preview, created_at: made, last_used_at: used } = props.token;
  return (
    <li>
      <div class="stack tight">
        <div class="row">
          <strong>
            <bdi>{name}</bdi>
          </strong>
          <code dir="ltr" class="small quiet">
            {preview}…
          </code>
        </div>
        <span class="small quiet">
          {t('applications.tokenMade', { time: formatDateTime(made) })} ·{' '}
          {used === null
            ? t('applications.tokenUnused')
            : rich('applications.tokenUsed', { time: <Ago key="time" time={used} /> })}
        </span>
      </div>
      {!isOnly && <Delete {...props} />}
    </li>
  );
};

const CreateButton = (props: BotTokensProps & { readonly count: number }) =>
  props.count >= MAX_TOKENS ? (
    <p class="small quiet">{t('applications.tokensFull')}</p>
  ) : (
    <ExpandableForm label={t('applications.tokenCreate')} kind="plain">
      {(fold) => <CreateForm {...props} onCancel={fold} />}
    </ExpandableForm>
  );

/** The tokens of the bot. The last one cannot be deleted. */
export function BotTokens({ id, loaded }: BotTokensProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLostFocus(heading);
  const known = loaded.value.value;
  return (
    <section class="section" aria-labelledby="bot-tokens">
      <h2 id="bot-tokens" ref={heading} tabIndex={-1}>
        {t('applications.tokens')}
      </h2>
      <p class="quiet">{t('applications.tokensWhat')}</p>
      <Loading of={loaded}>
        {(tokens) => (
          <ul class="list" aria-labelledby="bot-tokens">
            {tokens.map((token) => (
              <Item key={token.id} id={id} loaded={loaded} token={token} isOnly={tokens.length === 1} />
            ))}
          </ul>
        )}
      </Loading>
      {known && <CreateButton id={id} loaded={loaded} count={known.length} />}
    </section>
  );
}
