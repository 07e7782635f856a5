import { signal } from '@preact/signals';
import { api } from '../core/api.js';
import { formatDateTime, t } from '../core/language.js';
import { endSession, session, withTokenRotation } from '../core/session.js';
import { LinkButton } from '../kit/button.js';
import { Frame, useStep } from '../kit/frame.js';

/** How the user left the account: disabled, or deleted at a given time. */
export type AccountClosure = { readonly kind: 'disabled' } | { readonly kind: 'deleted'; readonly at: number };

export const accountClosure = signal<AccountClosure | null>(null);

/**
 * Runs an operation that ends all sessions of the account, including this one. The gateway event about the end of this
 * session is delayed, so that the page below is shown instead.
 */
export const closeAccount = (work: () => Promise<unknown>, said: AccountClosure): Promise<void> =>
  withTokenRotation(async () => {
    await work();
    accountClosure.value = said;
    api.forgetSudoProof();
    if (session.value) endSession(session.value.token, true);
  });

function AccountClosedText({ of }: { readonly of: AccountClosure }) {
  useStep(of.kind === 'deleted' ? 'data.deletedTitle' : 'data.disabledTitle');
  return (
    <>
      <p>{of.kind === 'deleted' ? t('data.deleted', { date: formatDateTime(of.at) }) : t('data.disabled')}</p>
      <LinkButton kind="plain" href="/login">
        {t('common.signIn')}
      </LinkButton>
    </>
  );
}

/** The page shown after an account was disabled or deleted. */
export const AccountClosedPage = ({ of }: { readonly of: AccountClosure }) => (
  <Frame title="">
    <AccountClosedText of={of} />
  </Frame>
);
