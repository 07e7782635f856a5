import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { type Action, useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { rich, t } from '../../core/language.js';
import { ScopeName } from '../../core/scopes.js';
import { Button } from '../../kit/button.js';
import { Choice, Field, fieldOf, TextArea } from '../../kit/field.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { secretsToShow } from '../../kit/shown-once.js';
import { TOKENS, type TokensAndScopes } from './token.js';

/** The default lifetime in days (tokens.md section 1). */
const DEFAULT_DAYS = Math.min(30, brand.tokenDays);
/** Maximum number of networks (tokens.md section 1). */
const MAX_NETWORKS = 20;
const NETWORK_FIELDS = Array.from({ length: MAX_NETWORKS }, (_, index) => `networks.${index}`);

/** One network per line. Commas and spaces also separate them. */
const networksIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter((network) => network !== '');

/** The error of the field with all networks, which names the first invalid one. */
function networkError(create: Action, sent: readonly string[]): string | undefined {
  const index = NETWORK_FIELDS.findIndex((field) => create.of(field));
  return index < 0 ? create.of('networks') : t('tokens.networkWrong', { network: sent[index] ?? '' });
}

export interface CreateFormProps extends Pick<TokensAndScopes, 'scopes' | 'words'> {
  readonly onCancel: () => void;
  readonly onCreated: () => Promise<void>;
}

/** The form for a new token, which is shown once. */
export function CreateForm({ scopes, words, onCancel, onCreated }: CreateFormProps) {
  const name = useSignal('');
  const days = useSignal(String(DEFAULT_DAYS));
  const networks = useSignal('');
  const chosen = useSignal<readonly string[]>([]);
  const sent = useRef<readonly string[]>([]);
  const create = useAction(
    async () => {
      sent.current = networksIn(networks.value);
      const body = {
        name: name.value,
        scopes: [...chosen.value],
        expires_in_days: Number(days.value) || 0,
        ...(sent.current.length > 0 ? { networks: [...sent.current] } : {}),
      };
      const { token } = await api.post(TOKENS, { body });
      secretsToShow.value = { title: t('tokens.created'), secrets: { [t('tokens.token')]: token }, onKept: onCancel };
      await onCreated();
    },
    { fields: ['name', 'scopes', 'expires_in_days', 'networks', ...NETWORK_FIELDS] },
  );
  const wrongScopes = create.of('scopes');
  return (
    <form class="section" onSubmit={create.run} aria-labelledby="create">
      <h2 id="create">{t('tokens.create')}</h2>
      <FailureNotice of={create} />
      <Field
        {...fieldOf(name, create, 'name')}
        label={t('tokens.name')}
        hint={t('tokens.nameHint')}
        required
        maxLength={100}
      />
      <fieldset class="lines">
        <legend>{t('tokens.scopes')}</legend>
        <p class="small quiet">{t('tokens.scopesHint')}</p>
        {scopes.map((scope) => (
          <Choice
            key={scope}
            name={`scope-${scope}`}
            label={rich('tokens.scope', {
              words: <ScopeName key="words" name={scope} words={words} />,
              scope: <code key="scope">{scope}</code>,
            })}
            checked={chosen.value.includes(scope)}
            onChecked={(isChosen) => {
              const others = chosen.value.filter((other) => other !== scope);
              chosen.value = isChosen ? [...others, scope] : others;
            }}
          />
        ))}
        {wrongScopes && <Notice kind="bad">{t('tokens.scopesWrong')}</Notice>}
      </fieldset>
      <Field
        {...fieldOf(days, create, 'expires_in_days')}
        wrong={create.of('expires_in_days') && t('tokens.daysWrong', { max: brand.tokenDays })}
        label={t('tokens.days')}
        hint={t('tokens.daysHint', { max: brand.tokenDays })}
        inputMode="numeric"
        isVerbatim
        required
        maxLength={3}
      />
      <TextArea
        {...fieldOf(networks, create, 'networks')}
        wrong={networkError(create, sent.current)}
        label={t('tokens.networks')}
        hint={t('tokens.networksHint')}
        isVerbatim
      />
      <div class="actions">
        <Button kind="plain" onClick={onCancel}>
          {t('common.cancel')}
        </Button>
        <Button submits action={create}>
          {t('tokens.createSubmit')}
        </Button>
      </div>
    </form>
  );
}
