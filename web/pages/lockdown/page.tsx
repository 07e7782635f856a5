import { useSignal } from '@preact/signals';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { useLink } from '../../core/link.js';
import { LinkButton } from '../../kit/button.js';
import { DecisionButton } from '../../kit/decision-button.js';
import { Frame } from '../../kit/frame.js';
import { Effects, FailureNotice } from '../../kit/notice.js';
import { Success } from '../../kit/shown.js';

const EFFECTS = ['lockdown.sessions', 'lockdown.applications', 'lockdown.tokens', 'lockdown.password'] as const;

export default function Lockdown() {
  const isBySso = useSignal(false);
  const { state, action } = useLink(async (token) => {
    const { next } = await api.post('/v1/auth/lockdown', { body: { token } });
    isBySso.value = next.includes('sign_in_sso');
  });
  if (state.value === 'ready') {
    return (
      <Frame title={t('lockdown.title')} isWide>
        <p>{t('lockdown.lead')}</p>
        <Effects of={EFFECTS} />
        <p class="quiet">{t('lockdown.own')}</p>
        <FailureNotice of={action} />
        <DecisionButton action={action}>{t('lockdown.submit')}</DecisionButton>
      </Frame>
    );
  }
  if (state.value === 'done') {
    return (
      <Frame title={t('lockdown.doneTitle')}>
        <Success>{t(isBySso.value ? 'lockdown.doneSso' : 'lockdown.done')}</Success>
        <p>{t('lockdown.check')}</p>
        {isBySso.value ? (
          <LinkButton href="/login">{t('lockdown.nextSso')}</LinkButton>
        ) : (
          <LinkButton href="/forgot">{t('lockdown.next')}</LinkButton>
        )}
      </Frame>
    );
  }
  return (
    <Frame title={t(state.value === 'missing' ? 'link.missingTitle' : 'link.deadTitle')}>
      <p>{t(state.value === 'missing' ? 'link.missing' : 'lockdown.dead')}</p>
      <LinkButton href="/forgot">{t('lockdown.next')}</LinkButton>
    </Frame>
  );
}
