import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren, Ref } from 'preact';
import { useId, useLayoutEffect } from 'preact/hooks';
import type { Action } from '../core/action.js';
import { t } from '../core/language.js';
import { Icon } from './icon.js';

export interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: ComponentChildren;
  /** The error message. */
  readonly wrong?: string | undefined;
  readonly type?: 'text' | 'email' | 'tel' | 'url' | 'password';
  readonly name: string;
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly inputMode?: 'text' | 'numeric' | 'email' | 'tel';
  readonly disabled?: boolean;
  readonly isCode?: boolean;
  /** Turns off spell checking and capitalization, for names and codes. */
  readonly isVerbatim?: boolean;
  readonly inputRef?: Ref<HTMLInputElement>;
  /** Gets the focus when it appears, as the first field of a page or step. */
  readonly isFirst?: boolean;
  readonly children?: ComponentChildren;
}

/** Returns a setter for a signal. */
export const setterOf =
  <T,>(state: Signal<T>) =>
  (value: T): void => {
    state.value = value;
  };

/** The properties of a form field: its value from a signal and its error from an action. */
export const fieldOf = (state: Signal<string>, action: Action, name: string) => ({
  name,
  value: state.value,
  onValue: setterOf(state),
  wrong: action.of(name),
});

type Described = Pick<FieldProps, 'hint' | 'wrong'> & { readonly id: string };

export const describedBy = ({ id, hint, wrong }: Described): string | undefined =>
  [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(' ') || undefined;

export const Notes = ({ id, hint, wrong }: Described) => (
  <>
    {hint && (
      <div class="hint" id={`${id}-hint`}>
        {hint}
      </div>
    )}
    {wrong && (
      <div class="wrong" id={`${id}-wrong`} role="alert">
        <Icon name="triangle-alert" size={16} />
        <span>{wrong}</span>
      </div>
    )}
  </>
);

/** The ID of a field. Focuses the field if it is the first one of its page or step. */
function useField(isFirst = false): string {
  const id = useId();
  useLayoutEffect(() => {
    if (isFirst) document.getElementById(id)?.focus();
    // Only when the field appears.
  }, []);
  return id;
}

function attributesOf(id: string, props: FieldProps) {
  const { name, autocomplete, required, minLength, maxLength, inputMode, disabled, isCode, isVerbatim, value } = props;
  return {
    id,
    name,
    autocomplete,
    required,
    minLength,
    maxLength,
    inputMode,
    disabled,
    value,
    class: isCode ? 'input code' : 'input',
    ...(isCode || isVerbatim
      ? ({ autocapitalize: 'off', autocorrect: 'off', spellcheck: false, dir: 'ltr' } as const)
      : {}),
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      props.onValue(event.currentTarget.value),
    'data-first': props.isFirst || undefined,
    'aria-invalid': props.wrong ? ('true' as const) : undefined,
    'aria-describedby': describedBy({ id, hint: props.hint, wrong: props.wrong }),
  };
}

/** A text input with label, hint and error. */
export function Field(props: FieldProps) {
  const id = useField(props.isFirst);
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <input ref={props.inputRef} type={(props.type ?? 'text') as 'text'} {...attributesOf(id, props)} />
      {props.children}
      <Notes id={id} hint={props.hint} wrong={props.wrong} />
    </div>
  );
}

export function TextArea(props: Omit<FieldProps, 'type' | 'inputRef'>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <textarea dir="auto" {...attributesOf(id, props)} />
      <Notes id={id} hint={props.hint} wrong={props.wrong} />
    </div>
  );
}

/** A password input with a button to show the password. Pasting and password managers work. */
export function PasswordField(props: FieldProps) {
  const id = useField(props.isFirst);
  const isShown = useSignal(false);
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <div class="inside">
        <input
          ref={props.inputRef}
          type={(isShown.value ? 'text' : 'password') as 'text'}
          {...attributesOf(id, { ...props, isVerbatim: true })}
        />
        <button
          type="button"
          class="button bare small"
          aria-pressed={isShown.value}
          aria-label={t('common.showPassword')}
          onClick={() => {
            isShown.value = !isShown.value;
          }}
        >
          {t(isShown.value ? 'common.hide' : 'common.show')}
        </button>
      </div>
      {props.children}
      <Notes id={id} hint={props.hint} wrong={props.wrong} />
    </div>
  );
}

/**
 * The username of the password in the same form, for password managers. It is not visible, because the user does not
 * enter it here.
 */
export const UsernameForPassword = ({ value }: { readonly value: string | null | undefined }) =>
  value ? (
    <input
      class="unseen"
      type="text"
      name="username"
      autocomplete="username"
      value={value}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  ) : null;

const SIX_DIGITS = /^\d{6}$/;

export interface CodeFieldProps extends FieldProps {
  /** Called when the user has entered six digits, for fields that accept only these. */
  readonly onSixDigits?: () => unknown;
}

/** An input for codes from apps or emails. One field of any length, so that pasting works. */
export const CodeField = ({ onSixDigits, ...props }: CodeFieldProps) => (
  <Field
    autocomplete="one-time-code"
    {...props}
    onValue={(value) => {
      props.onValue(value);
      if (SIX_DIGITS.test(value.replace(/\s/g, ''))) onSixDigits?.();
    }}
    isCode
  />
);

export interface ChoiceProps {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
  readonly name: string;
  readonly wrong?: string | undefined;
  readonly required?: boolean;
}

export function Choice({ label, checked, onChecked, name, wrong, required }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <div class="choice">
        <input
          type="checkbox"
          id={id}
          name={name}
          checked={checked}
          required={required}
          aria-invalid={wrong ? 'true' : undefined}
          aria-describedby={describedBy({ id, wrong })}
          onChange={(event) => onChecked(event.currentTarget.checked)}
        />
        <label for={id}>{label}</label>
      </div>
      <Notes id={id} wrong={wrong} />
    </div>
  );
}

export interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
  readonly onValue: (value: string) => void;
  readonly name: string;
  /** Used within a line of text. The label is only for screen readers. */
  readonly isInline?: boolean;
  readonly hint?: ComponentChildren;
  readonly wrong?: string | undefined;
}

export function Select({ label, value, options, onValue, name, isInline, hint, wrong }: SelectProps) {
  const id = useId();
  return (
    <div class={isInline ? '' : 'field'}>
      <label for={id} class={isInline ? 'unseen' : undefined}>
        {label}
      </label>
      <select
        id={id}
        name={name}
        class={isInline ? 'input inline' : 'input'}
        value={value}
        aria-invalid={wrong ? 'true' : undefined}
        aria-describedby={describedBy({ id, hint, wrong })}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        {Object.entries(options).map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
      <Notes id={id} hint={hint} wrong={wrong} />
    </div>
  );
}
