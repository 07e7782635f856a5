import { useSignal } from '@preact/signals';
import { type TranslationKey, t } from '../../core/language.js';
import { Notice } from '../../kit/notice.js';
import { Badge, type BadgeProps } from '../../kit/portrait.js';
import { type User, user } from '../account.js';
import { AddressChange, isBounced } from './address.js';
import { PhoneCheck } from './phone.js';
import { useCompletions } from './steps.js';
import { Unverified } from './unverified.js';

interface EmailState {
  readonly kind: BadgeProps['kind'];
  readonly words: TranslationKey;
}

function stateOf({ verified, email_bounced }: User): EmailState {
  if (email_bounced) return { kind: 'bad', words: 'contact.bounced' };
  return verified ? { kind: 'good', words: 'contact.confirmed' } : { kind: 'warn', words: 'contact.unconfirmed' };
}

function Present({ me }: { readonly me: User }) {
  if (!me.email) return null;
  const { kind, words } = stateOf(me);
  return (
    <p class="row">
      <bdi>{me.email}</bdi> <Badge kind={kind}>{t(words)}</Badge>
    </p>
  );
}

interface Changed {
  readonly email: string;
  /** True if the owner of the previous email address can undo the change. */
  readonly canBeUndone: boolean;
}

function Address({ me }: { readonly me: User }) {
  const changed = useSignal<Changed | null>(null);
  const done = changed.value;
  const { times, place, note } = useCompletions<HTMLHeadingElement>();
  const noteOf = (former: User) => (next: User) => {
    changed.value = { email: next.email ?? '', canBeUndone: former.email !== null && !isBounced(former) };
    note();
  };
  return (
    <section class="section" aria-labelledby="address">
      <h2 id="address" ref={place} tabIndex={-1}>
        {t('common.email')}
      </h2>
      {done && (
        <Notice kind="good">
          <p>{t('contact.changed', { email: done.email })}</p>
          {done.canBeUndone && <p>{t('contact.undo')}</p>}
        </Notice>
      )}
      <Present me={me} />
      <Unverified />
      {isBounced(me) && <p class="quiet">{t('required.newAddressHint')}</p>}
      {!me.email && <p class="quiet">{t('required.addressHint')}</p>}
      <AddressChange key={times} onChanged={noteOf(me)} />
    </section>
  );
}

function Phone({ me }: { readonly me: User }) {
  const { times, place, note } = useCompletions<HTMLHeadingElement>();
  return (
    <section class="section" aria-labelledby="phone">
      <h2 id="phone" ref={place} tabIndex={-1}>
        {t('required.phone')}
      </h2>
      {times > 0 ? (
        <Notice kind="good">{t('contact.phoneDone')}</Notice>
      ) : (
        <p>{t(me.has_verified_phone ? 'contact.phoneConfirmed' : 'contact.phoneNone')}</p>
      )}
      <p class="quiet">{t('required.byPhoneHint')}</p>
      <PhoneCheck key={times} onVerified={note} />
    </section>
  );
}

/** Email address and phone number, with all steps to change them (account.md sections 4 and 5). */
export default function Contact() {
  const me = user.value;
  if (!me) return null;
  return (
    <>
      <Address me={me} />
      <Phone me={me} />
    </>
  );
}
