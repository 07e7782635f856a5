import { formatDateTime, t } from '../../core/language.js';
import { Facts } from '../../kit/facts.js';
import { deletionFacts, flagsOf, type OfUser, traitsOf } from './account.js';
import { Marks } from './marks.js';

function Deletion({ user }: OfUser) {
  const { pending_deletion_at: time } = user;
  return (
    <section class="section" aria-labelledby="person-deletion">
      <h2 id="person-deletion">{t('adminActions.deletion')}</h2>
      {time === null ? (
        <p class="quiet">{t('adminActions.deletionNone')}</p>
      ) : (
        <>
          <p>{t('adminActions.deletionAt', { time: formatDateTime(time) })}</p>
          <Facts facts={deletionFacts(user)} />
        </>
      )}
    </section>
  );
}

/** Flags, traits and the deletion of the account. */
export const Data = ({ user }: OfUser) => (
  <>
    <section class="section" aria-labelledby="person-marks">
      <h2 id="person-marks">{t('adminPerson.marks')}</h2>
      <Facts
        facts={[
          ['adminPerson.flags', <Marks key="flags" of={flagsOf(user)} />],
          ['adminPerson.traits', <Marks key="traits" of={traitsOf(user)} />],
        ]}
      />
    </section>
    <Deletion user={user} />
  </>
);
