import { t } from '../../core/language.js';
import { Opened } from '../../kit/opened.js';
import { queryParameter } from '../parts/address.js';
import { LookUp } from './list.js';
import { One } from './one.js';

/** Applications of any account: lookup by ID or owner, and transfer. */
export default function Applications() {
  const owner = queryParameter('owner');
  return (
    <Opened title={t('adminApplications.title')}>
      {(id) => (id ? <One key={id} id={id} owner={owner} /> : <LookUp owner={owner} />)}
    </Opened>
  );
}
