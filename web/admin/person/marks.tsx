import type { ComponentChildren } from 'preact';
import { t } from '../../core/language.js';
import { Facts } from '../../kit/facts.js';
import { Badge } from '../../kit/portrait.js';
import { type AdminUser, hasAcl } from '../rights.js';
import { flagsOf, holdsOf, type Mark, traitsOf } from './account.js';
import { Hidden } from './hidden.js';

interface OfUser {
  readonly user: AdminUser;
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

const WEBAUTHN = 2;
const yesOrNo = (is: boolean): string => t(is ? 'adminPerson.yes' : 'adminPerson.no');

/** Contact data and sign-in methods of the account. */
export const Reach = ({ user }: OfUser) => (
  <section class="section" aria-labelledby="person-reach">
    <h2 id="person-reach">{t('adminPerson.reach')}</h2>
    {user.bot && <p class="quiet">{t('adminPerson.ofOwner')}</p>}
    <Facts
      facts={[
        ['common.email', <Email key="email" user={user} />],
        ['adminPerson.phone', yesOrNo(user.has_verified_phone)],
        ['adminPerson.totp', yesOrNo(user.has_totp)],
        ['adminPerson.passkey', yesOrNo(user.authenticator_types.includes(WEBAUTHN))],
        ['adminPerson.sso', yesOrNo(user.sso_linked)],
      ]}
    />
  </section>
);

const List = ({ of: marks }: { readonly of: readonly Mark[] }): ComponentChildren =>
  marks.length === 0 ? (
    t('adminPerson.none')
  ) : (
    <ul class="person-marks">
      {marks.map(({ name, words }) => (
        <li key={name}>
          {words && `${words} `}
          <code dir="ltr" class={words ? 'quiet small' : undefined}>
            {name}
          </code>
        </li>
      ))}
    </ul>
  );

/** Flags, requirements, traits and ACLs of the account. */
export const Marks = ({ user }: OfUser) => (
  <section class="section" aria-labelledby="person-marks">
    <h2 id="person-marks">{t('adminPerson.marks')}</h2>
    <Facts
      facts={[
        ['adminPerson.flags', <List key="flags" of={flagsOf(user)} />],
        ['adminPerson.holds', <List key="holds" of={holdsOf(user)} />],
        ['adminPerson.traits', <List key="traits" of={traitsOf(user)} />],
        ['adminPerson.acls', <List key="acls" of={user.acls.map((name) => ({ name, words: null }))} />],
      ]}
    />
  </section>
);
