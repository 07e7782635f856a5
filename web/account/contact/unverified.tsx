import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';
import { user } from '../account.js';

/** A notice for an unverified email address. A bounced email address is replaced instead. */
export function Unverified() {
  const again = useAction(async () => {
    await api.post('/v1/auth/verify/resend');
    toast(t('account.mailSent'));
  });
  const me = user.value;
  if (!me?.email || me.verified || me.email_bounced) return null;
  return (
    <Notice kind="warn" isAnnounced={false}>
      <p>{t('account.unverified', { email: me.email })}</p>
      <FailureNotice of={again} />
      <Button kind="plain" size="small" action={again}>
        {t('account.sendAgain')}
      </Button>
    </Notice>
  );
}
