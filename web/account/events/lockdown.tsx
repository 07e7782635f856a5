import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api, requestSudoFactor } from '../../core/api.js';
import { t } from '../../core/language.js';
import { endSession, session, withTokenRotation } from '../../core/session.js';
import { navigate } from '../../core/views.js';
import { Button } from '../../kit/button.js';
import { ConfirmButton } from '../../kit/confirm-button.js';
import { countsOfEnded } from './words.js';

const EFFECTS = ['events.lockSessions', 'lockdown.applications', 'lockdown.tokens', 'events.lockPending'] as const;
/** Steps that can remain while the user is still signed in (web.md section 5). */
const STEPS = { change_password: '/account/password', check_email: '/account/contact' } as const;

/** ID of the heading. */
export const LOCKDOWN_ID = 'not-me';

const LOCKDOWN = '/v1/users/@me/lockdown';

type LockedDown = ResponseBody<paths, '/v1/users/@me/lockdown', 'post'>;

function Remaining({ ended, next }: LockedDown) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  const numbers = countsOfEnded(ended);
  const steps = next.filter((step) => step === 'change_password' || step === 'check_email');
  return (
    <section class="section" aria-labelledby="locked">
      <h2 id="locked" ref={heading} tabIndex={-1}>
        {t('events.lockedTitle')}
      </h2>
      <p>{t('events.locked')}</p>
      {numbers.length > 0 && (
        <ul class="points">
          {numbers.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      )}
      {steps.length > 0 && <p>{t('events.lockedNext')}</p>}
      <div class="row">
        {steps.map((step, index) => (
          <Button key={step} kind={index === 0 ? 'main' : 'plain'} onClick={() => navigate(STEPS[step])}>
            {t(`events.${step}`)}
          </Button>
        ))}
      </div>
    </section>
  );
}

/** The "This was not me" section: explains the lockdown, runs it and lists the remaining steps. */
export function Lockdown({ onLocked }: { readonly onLocked: () => Promise<void> }) {
  const response = useSignal<LockedDown | null>(null);
  const lock = useAction(async () => {
    const factor = await requestSudoFactor();
    if (factor === null) return;
    response.value = (await api.send('post', LOCKDOWN, { body: factor })) as LockedDown;
    // The lockdown has also ended the sudo proof.
    api.forgetSudoProof();
    await onLocked();
  });
  const endSessions = useAction(() =>
    withTokenRotation(async () => {
      // With a sudo proof, the request would end more than sessions.
      api.forgetSudoProof();
      await api.post(LOCKDOWN);
      // The sign-in page then says that the user was signed out.
      if (session.value) endSession(session.value.token, false);
    }),
  );
  if (response.value) return <Remaining {...response.value} />;
  return (
    <section class="section" aria-labelledby={LOCKDOWN_ID}>
      <h2 id={LOCKDOWN_ID} tabIndex={-1}>
        {t('events.notMe')}
      </h2>
      <p class="quiet">{t('events.notMeWhat')}</p>
      <div class="row">
        <ConfirmButton
          label={t('events.endSessions')}
          title={t('events.endSessions')}
          action={endSessions}
          kind="plain"
        >
          <p>{t('events.endSessionsWhat')}</p>
        </ConfirmButton>
        <ConfirmButton label={t('lockdown.submit')} title={t('lockdown.title')} action={lock}>
          <p>{t('events.lockWhat')}</p>
          <ul class="points">
            {EFFECTS.map((key) => (
              <li key={key}>{t(key)}</li>
            ))}
          </ul>
          <p class="quiet">{t('events.lockKeeps')}</p>
        </ConfirmButton>
      </div>
    </section>
  );
}
