import { t } from '../../core/language.js';
import { Opened } from '../../kit/opened.js';
import '../instance/instance.css';
import { AllConnections } from './list.js';
import { One } from './one.js';

/** The identity providers that users can sign in with. */
export default function AdminConnections() {
  return (
    <Opened title={t('adminConnections.title')}>{(id) => (id ? <One key={id} id={id} /> : <AllConnections />)}</Opened>
  );
}
