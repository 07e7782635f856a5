import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { useLink } from '../../core/link.js';
import { LinkButton } from '../../kit/button.js';
import { DecisionButton } from '../../kit/decision-button.js';
import { Frame } from '../../kit/frame.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { Success } from '../../kit/shown.js';
import { HeldFacts, heldSignInOfLink } from '../../sign-in/held-facts.js';

const held = heldSignInOfLink();

export default function AuthorizeIp() {
  const { state, action } = useLink((token) => api.post('/v1/auth/authorize-ip', { body: { token } }));
  if (state.value === 'ready') {
    return (
      <Frame title={t('authorizeIp.title')}>
        <p>{t('authorizeIp.lead')}</p>
        {held && <HeldFacts of={held} />}
        <Notice kind="warn" isAnnounced={false}>
          {t('authorizeIp.notYou')}
        </Notice>
        <FailureNotice of={action} />
        <DecisionButton action={action}>{t('authorizeIp.submit')}</DecisionButton>
      </Frame>
    );
  }
  if (state.value === 'done') {
    return (
      <Frame title={t('authorizeIp.doneTitle')}>
        <Success>{t('authorizeIp.done')}</Success>
        {held && <HeldFacts of={held} />}
      </Frame>
    );
  }
  return (
    <Frame title={t(state.value === 'missing' ? 'link.missingTitle' : 'link.deadTitle')}>
      <p>{t(state.value === 'missing' ? 'link.missing' : 'authorizeIp.dead')}</p>
      <LinkButton href="/login">{t('common.signIn')}</LinkButton>
    </Frame>
  );
}
