import { signal } from '@preact/signals';
import { api } from '../core/api.js';
import { t, when } from '../core/language.js';
import { end, replacing, session } from '../core/session.js';
import { LinkButton } from '../kit/button.js';
import { Frame, useStep } from '../kit/frame.js';

/** How somebody left their account: at rest, or to be deleted at a time. */
export type Farewell = { readonly kind: 'disabled' } | { readonly kind: 'deleted'; readonly at: number };

export const farewell = signal<Farewell | null>(null);

/** Work that ends every session of the account, this one too: what the gateway says of that waits for what is said here. */
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

/** What is left of the account for whoever left it, and the way back. */
export const FarewellPage = ({ of }: { readonly of: Farewell }) => (
  <Frame title="">
    <Words of={of} />
  </Frame>
);
