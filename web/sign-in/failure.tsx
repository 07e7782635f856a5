import { brand } from '../core/brand.js';
import { t } from '../core/language.js';
import { LinkButton } from '../kit/button.js';
import { type Failed, FailureNotice, Notice } from '../kit/notice.js';

/** A refused sign-in in words; an account that was locked for suspicious activity opens again by a new password. */
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
