import { brand } from '../core/brand.js';
import { t } from '../core/language.js';
import { LinkButton } from '../kit/button.js';
import { type Failed, FailureNotice, Notice } from '../kit/notice.js';

/** The error of a sign-in. An account locked for suspicious activity can be unlocked with a password reset. */
export function SignInFailure({ of }: { readonly of: Failed }) {
  if (of.failure.value?.code !== 'ACCESS_DENIED') return <FailureNotice of={of} />;
  return (
    <Notice kind="bad">
      <p>{t('signIn.locked')}</p>
      {brand.pages && (
        <LinkButton kind="plain" size="small" href="/forgot">
          {t('signIn.resetPassword')}
        </LinkButton>
      )}
    </Notice>
  );
}
