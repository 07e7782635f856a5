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
const fieldOf = (index: number): string => `redirect_uris.${index}`;

/** Error paths of the individual lines. */
export const REDIRECT_FIELDS: readonly string[] = Array.from({ length: MAX_REDIRECT_URIS }, (_, index) =>
  fieldOf(index),
);

export interface RedirectFieldsProps {
  readonly uris: Signal<readonly string[]>;
  /** The action that submits the lines. Each line shows its own error. */
  readonly action: Action;
}

/** An input for each redirect URI with a remove button, and a button that adds one. */
export function RedirectFields({ uris, action }: RedirectFieldsProps) {
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
    wanted.current = `[name="${fieldOf(uris.value.length)}"]`;
    uris.value = [...uris.value, ''];
  };
  return (
    <fieldset class="lines" ref={lines}>
      <legend>{t('applications.redirects')}</legend>
      <p class="small quiet">{t('applications.redirectsHint')}</p>
      {uris.value.map((uri, index) => (
        <Field
          key={index}
          name={fieldOf(index)}
          label={t('applications.redirect', { number: index + 1 })}
          value={uri}
          onValue={(value) => change(index, value)}
          wrong={action.of(fieldOf(index))}
          isVerbatim
          required
          maxLength={256}
        >
          <div>
            <Button kind="plain" size="small" onClick={() => remove(index)}>
              {t('applications.redirectRemove', { number: index + 1 })}
            </Button>
          </div>
        </Field>
      ))}
      <div>
        <Button kind="plain" size="small" disabled={uris.value.length >= MAX_REDIRECT_URIS} onClick={add}>
          {t('applications.redirectAdd')}
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
        <Button submits action={save}>
          {t('applications.redirectsSave')}
        </Button>
      </div>
    </form>
  );
}
