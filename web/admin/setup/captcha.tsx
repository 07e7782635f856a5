import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { obtainCaptchaToken } from '../../core/captcha.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { can } from '../rights.js';

type Type = 'altcha' | 'hcaptcha' | 'turnstile';

/** Solves a CAPTCHA like a user does, and lets the service verify it. */
export function CaptchaTest() {
  const isEarned = useSignal<boolean | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const run = useAction(async () => {
    isEarned.value = null;
    const { 'x-captcha-token': token = '', 'x-captcha-type': type } = await obtainCaptchaToken(place.current);
    const { ok } = await api.post('/v1/admin/instance/captcha/test', { body: { token, type: type as Type } });
    isEarned.value = ok;
  });
  if (!can('post', '/v1/admin/instance/captcha/test')) return null;
  return (
    <>
      <FailureNotice of={run} />
      {isEarned.value !== null && (
        <Notice kind={isEarned.value ? 'good' : 'bad'}>
          {t(isEarned.value ? 'adminSetup.captchaGood' : 'adminSetup.captchaBad')}
        </Notice>
      )}
      <div class="widget" ref={place} />
      <div>
        <Button kind="plain" size="small" action={run}>
          {t('adminSetup.captchaTest')}
        </Button>
      </div>
    </>
  );
}
