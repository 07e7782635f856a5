import { useSignal } from '@preact/signals';
import type { Action } from '../../core/action.js';
import { t } from '../../core/language.js';
import { TextArea } from '../../kit/field.js';

/** Maximum number of domains (sso.md section 1). */
const MAX_DOMAINS = 100;

/** Every path that an error of the list can name. */
export const domainPaths = (name: string): string[] => [
  name,
  ...Array.from({ length: MAX_DOMAINS }, (_, line) => `${name}.${line}`),
];

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/**
 * Errors of individual lines with their text, because line numbers do not help users. Uses the lines that were sent.
 */
function wrongLines(name: string, sent: readonly string[], action: Action): string | undefined {
  const lines = sent.flatMap((line, n) => {
    const wrong = action.of(`${name}.${n}`);
    return wrong ? [t('adminInstance.wrongLine', { line, wrong })] : [];
  });
  return [action.of(name), ...lines].filter(Boolean).join(' ') || undefined;
}

interface DomainsFieldProps {
  /** The path of the list in the request and in errors. */
  readonly name: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly action: Action;
}

/** The domains of email addresses that a provider may state, one per line. */
export function DomainsField({ name, value, onValue, action }: DomainsFieldProps) {
  const sent = useSignal<readonly string[]>([]);
  // Later input differs from the lines that were rejected.
  if (action.isBusy.value) sent.value = linesOf(value);
  return (
    <TextArea
      name={name}
      label={t('adminInstance.ssoDomains')}
      hint={t('adminInstance.ssoDomainsHint')}
      value={value}
      onValue={onValue}
      isVerbatim
      wrong={wrongLines(name, sent.value, action)}
    />
  );
}
