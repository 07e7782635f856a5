import type { Ref } from 'preact';
import { useRef } from 'preact/hooks';
import type { Action } from '../core/action.js';
import { t } from '../core/language.js';
import { PasswordField } from './field.js';

const MIN_LENGTH = 8;
const MAX_LENGTH = 256;
/** Length at which the meter is full. */
const FULL_METER_LENGTH = 16;
const MIN_DISTINCT_CHARACTERS = 5;

interface PasswordRating {
  readonly words: string;
  readonly kind: 'bad' | 'fair' | 'good';
  /** Fill level of the meter, from 0 to 1. */
  readonly part: number;
}

/** True for mostly repeated or consecutive characters, such as 12345678. */
function isMonotonous(characters: readonly string[]): boolean {
  const codes = characters.map((character) => character.codePointAt(0) ?? 0);
  const steps = codes.slice(1).filter((code, index) => Math.abs(code - (codes[index] ?? 0)) <= 1).length;
  return new Set(characters).size < MIN_DISTINCT_CHARACTERS || steps * 2 > characters.length;
}

/**
 * Rates a password by length and variety, with the length rules of the service. Only the service can check for common
 * passwords.
 */
function ratePassword(text: string): PasswordRating {
  const characters = [...text];
  const { length } = characters;
  const part = Math.min(length, FULL_METER_LENGTH) / FULL_METER_LENGTH;
  if (length === 0) return { words: t('strength.rule'), kind: 'bad', part };
  if (length < MIN_LENGTH) return { words: t('strength.more', { count: MIN_LENGTH - length }), kind: 'bad', part };
  if (length > MAX_LENGTH) return { words: t('strength.long'), kind: 'bad', part };
  if (isMonotonous(characters)) return { words: t('strength.weak'), kind: 'fair', part: part / 2 };
  return { words: t('strength.enough'), kind: 'good', part };
}

/** Ignores case, because changing it does not make a common password safe. */
const normalizePassword = (password: string): string => password.normalize('NFKC').toLowerCase();

export interface NewPasswordProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** The action that submits it. Rejected passwords are remembered, so that they are not rated as good again. */
  readonly action: Action;
  /** Name of the request member. */
  readonly name?: string;
  readonly inputRef?: Ref<HTMLInputElement>;
}

export function NewPasswordField({ action, name = 'password', ...props }: NewPasswordProps) {
  const refused = useRef(new Map<string, string>());
  const sent = useRef<string | null>(null);
  const key = normalizePassword(props.value);
  if (!action.isBusy.value) {
    const wrong = action.of(name);
    if (wrong && sent.current !== null) refused.current.set(sent.current, wrong);
    sent.current = null;
  } else sent.current ??= key;
  const wrong = refused.current.get(key);
  const { words, kind, part } = wrong
    ? { words: t('strength.rule'), kind: 'bad', part: 1 / FULL_METER_LENGTH }
    : ratePassword(props.value);
  return (
    <PasswordField
      {...props}
      name={name}
      autocomplete="new-password"
      required
      wrong={wrong}
      hint={<span role="status">{words}</span>}
    >
      <div class="meter" aria-hidden="true">
        <span class={kind} style={{ width: `${part * 100}%` }} />
      </div>
    </PasswordField>
  );
}
