import { useAction } from '../../core/action.js';
import { rich, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { DecisionButton } from '../../kit/decision-button.js';
import { FailureNotice } from '../../kit/notice.js';
import type { Question } from './decision.js';
import { nameOf, type Person } from './person.js';
import { errorTarget } from './request.js';

interface ChoiceProps {
  readonly question: Question;
  readonly person: Person;
  readonly onSwitch: () => Promise<void>;
}

const Named = ({ person }: Pick<ChoiceProps, 'person'>) => (
  <strong>
    <bdi>{nameOf(person)}</bdi>
  </strong>
);

/** Asks which account to use, before anything else is shown (`prompt=select_account`). */
export function AccountChoice({
  question,
  person,
  onSwitch,
  onChosen,
}: ChoiceProps & { readonly onChosen: () => void }) {
  const another = useAction(onSwitch);
  return (
    <>
      <p>{rich('consent.chooseWhy', { application: <bdi>{question.application.name}</bdi> })}</p>
      <div class="stack tight">
        <Button size="wide" onClick={onChosen} disabled={another.isBusy.value}>
          {t('consent.continueAs', { account: nameOf(person) })}
        </Button>
        <Button kind="plain" size="wide" action={another}>
          {t('consent.another')}
        </Button>
      </div>
    </>
  );
}

/** The application expects another account than the one that is signed in (`id_token_hint`). */
export function OtherAccount({
  question,
  person,
  onSwitch,
  onReturn,
}: ChoiceProps & { readonly onReturn: (target: string) => Promise<void> }) {
  const application = <bdi>{question.application.name}</bdi>;
  const another = useAction(onSwitch);
  const back = useAction(async () => {
    const target = await errorTarget(location.search, 'login_required');
    if (target !== undefined) await onReturn(target);
  });
  return (
    <>
      <p>{rich('consent.otherAccount', { application, account: <Named person={person} /> })}</p>
      <FailureNotice of={back} />
      <div class="stack tight">
        <Button size="wide" action={another} disabled={back.isBusy.value}>
          {t('consent.another')}
        </Button>
        <DecisionButton kind="plain" size="wide" action={back} disabled={another.isBusy.value}>
          {t('consent.faultReturn')}
        </DecisionButton>
      </div>
    </>
  );
}
