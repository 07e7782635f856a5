import { failureText, toFailure } from '../../core/action.js';
import { type TranslationKey, t } from '../../core/language.js';
import { Notice } from '../../kit/notice.js';
import type { BatchRun } from '../parts/batch-run.js';

/** Specific messages for these error codes. */
const WHY: Readonly<Record<string, TranslationKey>> = {
  IP_BAN_DECLINED: 'adminBans.declined',
  INVALID_FORMAT: 'adminBans.noNetwork',
};

function reasonOf(error: unknown): string {
  const failure = toFailure(error);
  const why = WHY[failure.code];
  return why ? t(why) : failureText(failure);
}

/** The results: successes, and failures with their reasons. */
export function Outcome({ of: { result }, done }: { readonly of: BatchRun; readonly done: TranslationKey }) {
  const known = result.value;
  if (!known) return null;
  const { count, left } = known;
  return (
    <>
      {count > 0 && <Notice kind="good">{t(done, { count })}</Notice>}
      {left.length > 0 && (
        <Notice kind="bad">
          <p>{t('adminBans.left', { count: left.length })}</p>
          <ul class="points" aria-label={t('adminBans.leftLabel')}>
            {left.map(({ item, error }) => (
              <li key={item}>
                <code dir="ltr">{item}</code>: {reasonOf(error)}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}
