import { signal } from '@preact/signals';
import { api } from '../core/api.js';
import { t, when } from '../core/language.js';
import { end, replacing, session } from '../core/session.js';
import { LinkButton } from '../kit/button.js';
import { Frame, useStep } from '../kit/frame.js';

/** How the user left the account: disabled, or deleted at a given time. */
export type Farewell = { readonly kind: 'disabled' } | { readonly kind: 'deleted'; readonly at: number };

export const farewell = signal<Farewell | null>(null);

/**
 * Runs an operation that ends all sessions of the account, including this one. The gateway's notice waits, so that the
 * page below is shown instead.
 */
export const leaveBy = (work: () => Promise<unknown>, said: Farewell): Promise<void> =>
  replacing(async () => {
    await work();
    farewell.value = said;
    api.forgetProof();
    if (session.value) end(session.value.token, true);
  });

function Words({ of }: { readonly of: Farewell }) {
  useStep(of.kind === 'deleted' ? 'data.deletedTitle' : 'data.disabledTitle');
  return (
    <>
      <p>{of.kind === 'deleted' ? t('data.deleted', { date: when(of.at) }) : t('data.disabled')}</p>
      <LinkButton kind="plain" href="/login">
        {t('common.signIn')}
      </LinkButton>
    </>
  );
}

/** The page shown after an account was disabled or deleted. */
export const FarewellPage = ({ of }: { readonly of: Farewell }) => (
  <Frame title="">
    <Words of={of} />
  </Frame>
);
