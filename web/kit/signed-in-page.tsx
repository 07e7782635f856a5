import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Failure, failureText } from '../core/action.js';
import { loadTranslations, t } from '../core/language.js';
import type { connectGateway } from '../core/live.js';
import { replacePage, signInPath } from '../core/redirects.js';
import { retryLoad } from '../core/retry-load.js';
import { resolveSession, session, signOutCause } from '../core/session.js';
import { Button } from './button.js';
import { Notice } from './notice.js';

const isListening = signal(false);

/** Listens for gateway events. Loaded after the visible parts. */
async function listenToGateway(onEvent: Parameters<typeof connectGateway>[0]): Promise<void> {
  if (isListening.value) return;
  isListening.value = true;
  const live = await retryLoad(() => import('../core/live.js'));
  live.connectGateway(onEvent);
}

/**
 * Loads the translations and the data of a page for signed-in users. Redirects to sign-in without a session, and
 * immediately after a sign-out in another tab or device.
 * @returns whether the page can be shown
 */
export function useSignedInPage(
  translations: Parameters<typeof loadTranslations>[0],
  load: () => Promise<void>,
  onEvent: Parameters<typeof connectGateway>[0],
): boolean {
  const isReady = useSignal(false);
  useEffect(() => {
    void Promise.all([resolveSession(), loadTranslations(translations)]).then(([held]) => {
      if (!held) {
        replacePage(signInPath());
        return;
      }
      isReady.value = true;
      void load().then(() => listenToGateway(onEvent));
    });
  }, [isReady]);
  const isOver = isReady.value && session.value === null;
  useEffect(() => {
    if (isOver && signOutCause.value === 'elsewhere') replacePage(`${signInPath()}&signed_out=elsewhere`);
  }, [isOver]);
  return isReady.value && !isOver;
}

/** The error of the data of a page, with a retry button. */
export const LoadFailure = ({ failure, load }: { readonly failure: Failure; readonly load: () => Promise<void> }) => (
  <Notice kind="bad">
    <p>{failureText(failure)}</p>
    <Button kind="plain" onClick={() => void load()}>
      {t('common.retry')}
    </Button>
  </Notice>
);
