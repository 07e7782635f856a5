import type { ComponentChildren } from 'preact';
import { formatDateTime, LANGUAGES, t } from '../../core/language.js';
import { Facts } from '../../kit/facts.js';
import { Notice } from '../../kit/notice.js';
import { Badge } from '../../kit/portrait.js';
import { isErased } from '../parts/flags.js';
import { type AdminUser, hasAcl } from '../rights.js';
import { deletionFacts, isDeletedByOthers, type OfUser, obstaclesOf, yesOrNo } from './account.js';
import { Address } from './address.js';
import { Hidden } from './hidden.js';

function Deletion({ user }: OfUser) {
  const { pending_deletion_at: time } = user;
  if (time === null || isErased(user)) return null;
  const key = isDeletedByOthers(user) ? 'adminPerson.deletionByOthers' : 'adminPerson.deletionByOwner';
  return (
    <Notice kind="bad" isAnnounced={false}>
      <p>
        <strong>{t(key, { time: formatDateTime(time) })}</strong>
      </p>
      <Facts facts={deletionFacts(user)} />
    </Notice>
  );
}

/** Explains why the account cannot be used. */
function Obstacles({ user }: OfUser) {
  const blockers = obstaclesOf(user);
  if (blockers.length === 0) return null;
  return (
    <Notice kind="warn" isAnnounced={false}>
      {blockers.map((words) => (
        <p key={words}>{words}</p>
      ))}
    </Notice>
  );
}

function Details({ user }: OfUser) {
  const { bio, locale, created_at: since, last_active_at: last } = user;
  return (
    <section class="section" aria-labelledby="person-details">
      <h2 id="person-details">{t('adminPerson.details')}</h2>
      {bio && (
        <p class="verbatim" dir="auto">
          {bio}
        </p>
      )}
      <Facts
        facts={[
          [
            'adminPerson.locale',
            locale && <bdi key="locale">{(LANGUAGES as Record<string, string>)[locale] ?? locale}</bdi>,
          ],
          ['adminPerson.created', since && formatDateTime(since)],
          ['adminPerson.lastActive', last ? formatDateTime(last) : t('adminPerson.never')],
          [
            'adminPerson.lastAddress',
            last ? <Address key="address" ip={user.last_active_ip} /> : t('adminPerson.none'),
          ],
        ]}
      />
    </section>
  );
}

function Email({ user: { email, email_verified: isVerified, email_bounced: isBounced } }: OfUser): ComponentChildren {
  if (email === null) return hasAcl('user:view:email') ? t('adminPerson.none') : <Hidden acl="user:view:email" />;
  return (
    <span class="row">
      <bdi>{email}</bdi>
      <Badge kind={isVerified ? 'good' : 'warn'}>
        {t(isVerified ? 'adminPerson.emailVerified' : 'adminPerson.emailUnverified')}
      </Badge>
      {isBounced && <Badge kind="bad">{t('adminPerson.emailBounced')}</Badge>}
    </span>
  );
}

const Contact = ({ user }: OfUser) => (
  <section class="section" aria-labelledby="person-contact">
    <h2 id="person-contact">{t('adminActions.contact')}</h2>
    <Facts
      facts={[
        ['common.email', <Email key="email" user={user} />],
        ['adminPerson.phone', yesOrNo(user.has_verified_phone)],
      ]}
    />
  </section>
);

/** The state, the dates and the contact data of the account. */
export const Overview = ({ user }: { readonly user: AdminUser }) => (
  <>
    <Deletion user={user} />
    <Obstacles user={user} />
    <div class="person-pair">
      <Details user={user} />
      {!user.bot && <Contact user={user} />}
    </div>
  </>
);
