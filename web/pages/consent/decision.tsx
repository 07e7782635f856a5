import { useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { rich, t } from '../../core/language.js';
import type { ScopeWords } from '../../core/scopes.js';
import { Button } from '../../kit/button.js';
import { DecisionButton } from '../../kit/decision-button.js';
import { FailureNotice } from '../../kit/notice.js';
import { Portrait } from '../../kit/portrait.js';
import { FreshProof } from './fresh-proof.js';
import { type Decider, isSingleUse, isUnauthorized, nameOf, onSessionEnded, withToken } from './person.js';
import { type Application, type AuthorizationRequest, hostOf, isOpenId } from './request.js';
import { Scopes } from './scopes.js';

export interface Question {
  readonly request: AuthorizationRequest;
  readonly application: Application;
  readonly words: ScopeWords;
}

interface DecisionProps extends Question {
  readonly decider: Decider;
  /** True if the trust in the application replaces the full consent. */
  readonly isTrusted: boolean;
  /** The password of a sign-in on this page, which proves that the user is present. */
  readonly password?: string | undefined;
  /** Called with the redirect URL from the response. */
  readonly onDecided: (target: string, decision: 'approve' | 'deny') => Promise<void>;
  readonly onSignedOut: () => void;
  /** @returns true if the request itself is invalid, so that no decision is possible */
  readonly onFault: (error: unknown) => boolean;
  readonly onSwitch: () => Promise<void>;
}

function Facts({
  request,
  application,
  words,
  decider,
  isTrusted,
}: Question & Pick<DecisionProps, 'decider' | 'isTrusted'>) {
  const { person } = decider;
  const name = <bdi>{application.name}</bdi>;
  const host = request.redirect_uri && hostOf(request.redirect_uri);
  return (
    <>
      <div class="row">
        <Portrait id={application.id} name={application.name} picture={application.icon} />
        <div>
          <div>
            <strong>{name}</strong>
          </div>
          {host && (
            <div class="small quiet" dir="ltr">
              {host}
            </div>
          )}
        </div>
      </div>
      {!isTrusted && <Scopes request={request} application={application} words={words} former={decider.former} />}
      <p>
        {rich(person.email ? 'consent.youAreWith' : 'consent.youAre', {
          person: (
            <strong>
              <bdi>{nameOf(person)}</bdi>
            </strong>
          ),
          email: <bdi>{person.email}</bdi>,
        })}
        {isSingleUse(decider.token) && !isOpenId(request) && ` ${t('consent.forThisAlone')}`}
      </p>
      <p class="small quiet">
        {rich(isTrusted ? 'consent.trusted' : host ? 'consent.notOurs' : 'consent.notOursBack', {
          application: name,
          product: <bdi>{brand.product}</bdi>,
          host: <bdi>{host}</bdi>,
        })}
      </p>
    </>
  );
}

/** The consent question with its two answers. */
export function Decision({ onDecided, onSignedOut, onFault, onSwitch, password, ...question }: DecisionProps) {
  const { request, decider, isTrusted } = question;
  const isDeciding = useRef(false);

  async function decide(decision: 'approve' | 'deny'): Promise<void> {
    if (isDeciding.current) return;
    isDeciding.current = true;
    for (const action of [allow, deny]) action.clear();
    try {
      const body = { ...request, decision, ...(password && { password }) };
      const { redirect_to } = await api.post('/v1/oauth2/authorize/consent', { ...withToken(decider.token), body });
      await onDecided(redirect_to, decision);
    } catch (error) {
      if (isUnauthorized(error)) {
        onSessionEnded(decider.token);
        onSignedOut();
      } else if (!onFault(error)) throw error;
    } finally {
      isDeciding.current = false;
    }
  }
  const allow = useAction(() => decide('approve'));
  const deny = useAction(() => decide('deny'));
  const another = useAction(onSwitch);
  const isOff = allow.isBusy.value || deny.isBusy.value || another.isBusy.value;
  return (
    <>
      <Facts {...question} />
      <FailureNotice of={allow} />
      <FailureNotice of={deny} />
      <div class="stack tight">
        <DecisionButton size="wide" action={allow} disabled={isOff}>
          {isTrusted ? t('consent.continueAs', { account: nameOf(decider.person) }) : t('consent.allow')}
        </DecisionButton>
        <DecisionButton size="wide" kind="plain" action={deny} disabled={isOff}>
          {t('consent.deny')}
        </DecisionButton>
        <Button kind="bare" action={another} disabled={allow.isBusy.value || deny.isBusy.value}>
          {t('consent.another')}
        </Button>
      </div>
      <FreshProof application={question.application} decider={decider} />
    </>
  );
}
