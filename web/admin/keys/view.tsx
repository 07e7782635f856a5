import { t } from '../../core/language.js';
import { Opened } from '../../kit/opened.js';
import { SecretsDialogHost } from '../../kit/shown-once.js';
import { OwnKeys } from './list.js';
import { One } from './one.js';

/** Admin keys of the signed-in user. */
export default function AdminKeys() {
  return (
    <>
      <Opened title={t('adminKeys.title')}>{(id) => (id ? <One key={id} id={id} /> : <OwnKeys />)}</Opened>
      <SecretsDialogHost />
    </>
  );
}
