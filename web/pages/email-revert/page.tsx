import { useSignal } from '@preact/signals';
import { api, replaceSession } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { t } from '../../core/language.js';
import { useLink } from '../../core/link.js';
import { reportAcceptedPasskeys } from '../../core/passkeys.js';
import { offerPassword } from '../../core/password-manager.js';
import { replacePage } from '../../core/redirects.js';
import { typedEmail } from '../../core/typed-email.js';
import { LinkButton } from '../../kit/button.js';
import { DecisionButton } from '../../kit/decision-button.js';
import { Frame } from '../../kit/frame.js';
import { Effects } from '../../kit/notice.js';
import { NewPasswordForm, showUsername } from '../../sign-in/new-password-form.js';

const EFFECTS = [
  'revert.address',
  'revert.sessions',
  'revert.factors',
  'revert.applications',
  'revert.networks',
] as const;

const Ways = () => (
  <>
    {brand.support && <LinkButton href={brand.support}>{t('common.support')}</LinkButton>}
    <LinkButton kind="plain" href="/login">
      {t('common.signIn')}
    </LinkButton>
  </>
);

export default function EmailRevert() {
  const password = useSignal('');
  const isKept = useSignal(false);
  const username = useSignal<string | null>(typedEmail());
  const isTaken = useSignal(false);
  const { state, action } = useLink(
    async (token) => {
      const response = await api.post('/v1/auth/email-revert', { body: { token, password: password.value } });
      await showUsername(username, await offerPassword(response.token, password.value));
      await replaceSession(response.token, isKept.value);
      await reportAcceptedPasskeys(response.user_id, []);
      await replacePage('/account');
    },
    {
      fields: ['password'],
      onError: (refused) => {
        isTaken.value = refused.of('token') === 'EMAIL_ALREADY_IN_USE';
        return isTaken.value;
      },
    },
  );
  if (state.value !== 'ready') {
    return (
      <Frame title={t(state.value === 'missing' ? 'link.missingTitle' : 'link.deadTitle')}>
        <p>{t(state.value === 'missing' ? 'link.missing' : 'revert.dead')}</p>
        <Ways />
      </Frame>
    );
  }
  if (isTaken.value) {
    return (
      <Frame title={t('revert.takenTitle')}>
        <p>{t('revert.taken')}</p>
        <Ways />
      </Frame>
    );
  }
  return (
    <Frame title={t('revert.title')} isWide>
      <p>{t('revert.lead')}</p>
      <Effects of={EFFECTS} />
      <p class="quiet">{t('revert.own')}</p>
      <NewPasswordForm username={username.value} password={password} isKept={isKept} action={action}>
        <DecisionButton submits action={action} size="wide">
          {t('revert.submit')}
        </DecisionButton>
      </NewPasswordForm>
    </Frame>
  );
}
