import { t } from '../../core/language.js';
import { Facts } from '../../kit/facts.js';
import { isErased } from '../parts/flags.js';
import { can } from '../rights.js';
import { ACCESS_TOKENS, AccessTokens } from './access-tokens.js';
import { aclsOf, holdsOf, type OfUser, type RecordedProps, yesOrNo } from './account.js';
import { IDENTITIES, Identities } from './identities.js';
import { Marks } from './marks.js';
import { PASSKEYS, Passkeys, type PasskeysProps } from './passkeys.js';

const WEBAUTHN = 2;

const SignIn = ({ user }: OfUser) => (
  <section class="section" aria-labelledby="person-sign-in">
    <h2 id="person-sign-in">{t('adminActions.factors')}</h2>
    {user.bot ? (
      <p class="quiet">{t('adminPerson.ofOwner')}</p>
    ) : (
      <Facts
        facts={[
          ['adminPerson.totp', yesOrNo(user.has_totp)],
          ['adminPerson.passkey', yesOrNo(user.authenticator_types.includes(WEBAUTHN))],
          ['adminPerson.sso', yesOrNo(user.sso_linked)],
        ]}
      />
    )}
  </section>
);

/** Sign-in methods, requirements and permissions of the account. */
export function Security(props: RecordedProps & PasskeysProps) {
  const { user, turn } = props;
  const isSignedInTo = !(user.bot || isErased(user));
  return (
    <>
      <div class="person-pair">
        <SignIn user={user} />
        <section class="section" aria-labelledby="person-permissions">
          <h2 id="person-permissions">{t('adminPerson.permissions')}</h2>
          <Facts
            facts={[
              ['adminPerson.holds', <Marks key="holds" of={holdsOf(user)} />],
              ['adminPerson.acls', <Marks key="acls" of={aclsOf(user)} />],
            ]}
          />
        </section>
      </div>
      {isSignedInTo && can('get', PASSKEYS) && <Passkeys {...props} />}
      {isSignedInTo && can('get', ACCESS_TOKENS) && <AccessTokens {...props} />}
      {isSignedInTo && can('get', IDENTITIES) && <Identities user={user} turn={turn} again={props.again} />}
    </>
  );
}
