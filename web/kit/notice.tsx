import type { ComponentChildren } from 'preact';
import type { Failure } from '../core/action.js';
import { type TranslationKey, t } from '../core/language.js';

export interface NoticeProps {
  readonly kind?: 'bad' | 'good' | 'warn';
  /** Announce it to screen readers when it appears; errors immediately. */
  readonly isAnnounced?: boolean;
  readonly children: ComponentChildren;
}

export const Notice = ({ kind, isAnnounced = true, children }: NoticeProps) => (
  <div
    class={['notice', kind].filter(Boolean).join(' ')}
    role={isAnnounced ? (kind === 'bad' ? 'alert' : 'status') : undefined}
  >
    {children}
  </div>
);

export const Effects = ({ of }: { readonly of: readonly TranslationKey[] }) => (
  <Notice kind="warn" isAnnounced={false}>
    <ul class="points">
      {of.map((key) => (
        <li key={key}>{t(key)}</li>
      ))}
    </ul>
  </Notice>
);

/** An action, or anything else with an error. */
export interface Failed {
  readonly failure: { readonly value: Failure | null };
}

/** The error of an action, unless a field shows it. */
export function FailureNotice({ of: { failure } }: { readonly of: Failed }) {
  const known = failure.value;
  if (!known?.message) return null;
  return (
    <Notice kind="bad">
      <p>{known.message}</p>
      {known.requestId && (
        <p class="small quiet">
          {t('common.requestId')} <code>{known.requestId}</code>
        </p>
      )}
    </Notice>
  );
}
