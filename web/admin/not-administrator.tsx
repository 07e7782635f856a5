import { useSignal } from '@preact/signals';
import { useAction } from '../core/action.js';
import { api } from '../core/api.js';
import { rich, t } from '../core/language.js';
import { replacePage } from '../core/redirects.js';
import { Button } from '../kit/button.js';
import { Field, fieldOf } from '../kit/field.js';
import { FailureNotice, Notice } from '../kit/notice.js';

function SetupForm() {
  const token = useSignal('');
  const isRefused = useSignal(false);
  const action = useAction(
    async () => {
      isRefused.value = false;
      await api.post('/v1/setup', { body: { token: token.value.trim() } });
      await replacePage('/admin/setup');
    },
    {
      fields: ['token'],
      onError: ({ code }) => {
        isRefused.value = code === 'MISSING_PERMISSIONS';
        return isRefused.value;
      },
    },
  );
  return (
    <form class="stack" onSubmit={(event) => void action.run(event)}>
      <Field
        {...fieldOf(token, action, 'token')}
        label={t('admin.setupToken')}
        hint={t('admin.setupHint')}
        {...(isRefused.value ? { wrong: t('admin.setupRefused') } : {})}
        isVerbatim
        required
        maxLength={256}
      />
      <FailureNotice of={action} />
      <div>
        <Button submits action={action}>
          {t('admin.becomeAdministrator')}
        </Button>
      </div>
    </form>
  );
}

/** Shown to signed-in users without admin access. The first administrator enters the setup token here. */
export const NotAdministrator = () => (
  <>
    <Notice kind="warn">{t('admin.notAnAdministrator')}</Notice>
    <section class="section" aria-labelledby="first">
      <h2 id="first">{t('admin.firstRun')}</h2>
      <p>{t('admin.firstRunWhat')}</p>
      <SetupForm />
      <p class="quiet small">
        {rich('admin.byCommand', { command: <code>npm run cli -- user grant-acl &lt;email&gt; '*'</code> })}
      </p>
    </section>
  </>
);
