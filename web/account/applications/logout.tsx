import { useSignal } from '@preact/signals';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Choice, Field, fieldOf, setterOf } from '../../kit/field.js';
import { FailureNotice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';
import { type ChangeProps, LOGOUT_FIELDS, RedirectFields } from './redirects.js';

/** The members of an application for logouts of OpenID Connect. */
export function Logout({ application, onChanged }: ChangeProps) {
  const uris = useSignal<readonly string[]>(application.post_logout_redirect_uris);
  const backchannel = useSignal(application.backchannel_logout_uri ?? '');
  const needsSession = useSignal(application.backchannel_logout_session_required);
  const save = useAction(
    async () => {
      const body = {
        post_logout_redirect_uris: [...uris.value],
        backchannel_logout_uri: backchannel.value || null,
        backchannel_logout_session_required: needsSession.value,
      };
      const next = await api.patch('/v1/oauth2/applications/{id}', { path: { id: application.id }, body });
      uris.value = next.post_logout_redirect_uris;
      onChanged(next);
      toast(t('account.saved'));
    },
    { fields: [...LOGOUT_FIELDS, 'backchannel_logout_uri'] },
  );
  return (
    <form class="section" onSubmit={save.run} aria-labelledby="sign-out">
      <h2 id="sign-out">{t('applications.signOut')}</h2>
      <FailureNotice of={save} />
      <RedirectFields kind="logout" uris={uris} action={save} />
      <Field
        {...fieldOf(backchannel, save, 'backchannel_logout_uri')}
        label={t('applications.backchannel')}
        hint={t('applications.backchannelHint')}
        isVerbatim
        maxLength={256}
      />
      <Choice
        name="backchannel_logout_session_required"
        label={t('applications.sessionRequired')}
        checked={needsSession.value}
        onChecked={setterOf(needsSession)}
      />
      <div>
        <Button submits kind="plain" action={save}>
          {t('applications.signOutSave')}
        </Button>
      </div>
    </form>
  );
}
