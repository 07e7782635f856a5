import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { FailureNotice, Notice } from '../../kit/notice.js';
import { can, me } from '../rights.js';

type Sent = ResponseBody<paths, '/v1/admin/instance/mail/test', 'post'>;

const Result = ({ of: { ok, detail } }: { readonly of: Sent }) => (
  <Notice kind={ok ? 'good' : 'bad'}>
    <p>{t(ok ? 'adminSetup.mailGood' : 'adminSetup.mailBad')}</p>
    {detail && (
      <code dir="ltr" lang="en">
        {detail}
      </code>
    )}
  </Notice>
);

/** Sends a test email to the signed-in administrator. */
export function EmailTest() {
  const result = useSignal<Sent | null>(null);
  const run = useAction(async () => {
    result.value = null;
    result.value = await api.post('/v1/admin/instance/mail/test');
  });
  if (!can('post', '/v1/admin/instance/mail/test')) return null;
  return (
    <>
      {me.value?.email && <p class="small quiet">{t('adminSetup.mailTo', { email: me.value.email })}</p>}
      <FailureNotice of={run} />
      {result.value && <Result of={result.value} />}
      <div>
        <Button kind="plain" size="small" action={run}>
          {t('adminSetup.mailTest')}
        </Button>
      </div>
    </>
  );
}
