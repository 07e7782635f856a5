import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Action, useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Field } from '../../kit/field.js';
import { FailureNotice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';
import type { Application } from './application.js';

/** Maximum number of redirect URIs (oauth.md 3.2). */
const MAX_REDIRECT_URIS = 10;
/** The words of each list of URIs, and its member of the application. */
const MEMBERS = { redirect: 'redirect_uris', logout: 'post_logout_redirect_uris' } as const;
type Kind = keyof typeof MEMBERS;
const fieldOf = (kind: Kind, index: number): string => `${MEMBERS[kind]}.${index}`;

/** Error paths of the individual lines. */
const fieldsOf = (kind: Kind): readonly string[] =>
  Array.from({ length: MAX_REDIRECT_URIS }, (_, index) => fieldOf(kind, index));

export const REDIRECT_FIELDS = fieldsOf('redirect');
export const LOGOUT_FIELDS = fieldsOf('logout');

export interface RedirectFieldsProps {
  readonly kind?: Kind;
  readonly uris: Signal<readonly string[]>;
  /** The action that submits the lines. Each line shows its own error. */
  readonly action: Action;
}

/** An input for each redirect URI with a remove button, and a button that adds one. */
export function RedirectFields({ kind = 'redirect', uris, action }: RedirectFieldsProps) {
  const lines = useRef<HTMLFieldSetElement>(null);
  const wanted = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (wanted.current) lines.current?.querySelector<HTMLElement>(wanted.current)?.focus();
    wanted.current = null;
  });
  const change = (index: number, value: string) => {
    uris.value = uris.value.map((uri, at) => (at === index ? value : uri));
  };
  const remove = (index: number) => {
    wanted.current = ':scope > div:last-child button';
    uris.value = uris.value.filter((_, at) => at !== index);
    // Errors belong to line numbers, which have changed.
    action.clear();
  };
  const add = () => {
    wanted.current = `[name="${fieldOf(kind, uris.value.length)}"]`;
    uris.value = [...uris.value, ''];
  };
  return (
    <fieldset class="lines" ref={lines}>
      <legend>{t(`applications.${kind}s`)}</legend>
      <p class="small quiet">{t(`applications.${kind}sHint`)}</p>
      {uris.value.map((uri, index) => (
        <Field
          key={index}
          name={fieldOf(kind, index)}
          label={t(`applications.${kind}`, { number: index + 1 })}
          value={uri}
          onValue={(value) => change(index, value)}
          wrong={action.of(fieldOf(kind, index))}
          isVerbatim
          required
          maxLength={256}
        >
          <div>
            <Button kind="plain" size="small" onClick={() => remove(index)}>
              {t(`applications.${kind}Remove`, { number: index + 1 })}
            </Button>
          </div>
        </Field>
      ))}
      <div>
        <Button kind="plain" size="small" disabled={uris.value.length >= MAX_REDIRECT_URIS} onClick={add}>
          {t(`applications.${kind}Add`)}
        </Button>
      </div>
    </fieldset>
  );
}

export interface ChangeProps {
  readonly application: Application;
  readonly onChanged: (application: Application) => void;
}

export function Redirects({ application, onChanged }: ChangeProps) {
  const uris = useSignal<readonly string[]>(application.redirect_uris);
  const save = useAction(
    async () => {
      const body = { redirect_uris: [...uris.value] };
      const next = await api.patch('/v1/oauth2/applications/{id}', { path: { id: application.id }, body });
      uris.value = next.redirect_uris;
      onChanged(next);
      toast(t('account.saved'));
    },
    { fields: REDIRECT_FIELDS },
  );
  return (
    <form class="section" onSubmit={save.run}>
      <FailureNotice of={save} />
      <RedirectFields uris={uris} action={save} />
      <div>
        <Button submits kind="plain" action={save}>
          {t('applications.redirectsSave')}
        </Button>
      </div>
    </form>
  );
}
