import { useSignal } from '@preact/signals';
import { t } from '../../core/language.js';
import { ExpandableForm } from '../../kit/opened.js';
import { queryParameter } from '../parts/address.js';
import { can } from '../rights.js';
import { ENTRIES, ENTRY } from './ban.js';
import './bans.css';
import { AddForm, LiftForm } from './forms.js';
import { Bans } from './list.js';
import { LookUp } from './look-up.js';

/** IP bans. Each section is shown to users with the required ACL. */
export default function BannedAddresses() {
  // These counters trigger a reload of the two sections.
  const ofList = useSignal(0);
  const ofAnswer = useSignal(0);
  const looked = () => {
    ofAnswer.value++;
  };
  const changed = () => {
    ofList.value++;
    ofAnswer.value++;
  };
  const first = queryParameter('ip') ?? '';
  return (
    <>
      <p class="quiet">{t('adminBans.lead')}</p>
      {can('get', ENTRY) && <LookUp turn={ofAnswer.value} onChanged={changed} />}
      {can('post', ENTRIES) && (
        <ExpandableForm label={t('adminBans.add')}>
          {(fold) => <AddForm first={first} onChanged={changed} onCancel={fold} />}
        </ExpandableForm>
      )}
      {can('delete', ENTRY) && (
        <ExpandableForm label={t('adminBans.liftTyped')} kind="plain">
          {(fold) => <LiftForm first={first} onChanged={changed} onCancel={fold} />}
        </ExpandableForm>
      )}
      {can('get', ENTRIES) && <Bans turn={ofList.value} onLifted={looked} />}
    </>
  );
}
