import { t } from '../../core/language.js';
import { Opened } from '../../kit/opened.js';
import { asked } from '../parts/address.js';
import { LookUp } from './list.js';
import { One } from './one.js';

/** Applications of anybody: looked up by their ids or their owners, and handed over. */
export default function Applications() {
  const owner = asked('owner');
  return (
    <Opened title={t('adminApplications.title')}>
      {(id) => (id ? <One key={id} id={id} owner={owner} /> : <LookUp owner={owner} />)}
    </Opened>
  );
}
