import { useSignal } from '@preact/signals';
import type { Action } from '../../core/action.js';
import { t } from '../../core/language.js';
import { TextArea } from '../../kit/field.js';

/** Maximum number of lines: domains of a provider (sso.md section 1), policies of an application (forward-auth.md section 3). */
const MAX_LINES = 100;

/** Every path that an error of the list can name. */
export const linePaths = (name: string): string[] => [
  name,
  ...Array.from({ length: MAX_LINES }, (_, line) => `${name}.${line}`),
];

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

interface ListProps {
  /** The path of the list in the request and in errors. */
  readonly name: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly action: Action;
}

interface LinesFieldProps extends ListProps {
  readonly label: string;
  readonly hint: string;
  /** Replaces the message of the error code of a line. */
  readonly wrongLine?: string;
}

/**
 * Errors of individual lines with their text, because line numbers do not help users. Uses the lines that were sent.
 */
function wrongLines({ name, wrongLine, action }: LinesFieldProps, sent: readonly string[]): string | undefined {
  const lines = sent.flatMap((line, n) => {
    const wrong = action.of(`${name}.${n}`);
    return wrong ? [t('adminInstance.wrongLine', { line, wrong: wrongLine ?? wrong })] : [];
  });
  return [action.of(name), ...lines].filter(Boolean).join(' ') || undefined;
}

/** A list with one entry per line. */
export function LinesField(props: LinesFieldProps) {
  const { name, label, hint, value, onValue, action } = props;
  const sent = useSignal<readonly string[]>([]);
  // Later input differs from the lines that were rejected.
  if (action.isBusy.value) sent.value = linesOf(value);
  const wrong = wrongLines(props, sent.value);
  return <TextArea name={name} label={label} hint={hint} value={value} onValue={onValue} isVerbatim wrong={wrong} />;
}

/** The domains of email addresses that a provider may state. */
export const DomainsField = (props: ListProps) => (
  <LinesField {...props} label={t('adminInstance.ssoDomains')} hint={t('adminInstance.ssoDomainsHint')} />
);
