import { t } from '../../core/language.js';
import { Opened } from '../../kit/opened.js';
import { SecretsDialogHost } from '../../kit/shown-once.js';
import { Applications } from './list.js';
import { One } from './one.js';

/** Applications and bots of the signed-in user. */
export default function OwnApplications() {
  return (
    <>
      <Opened title={t('applications.title')}>{(id) => (id ? <One key={id} id={id} /> : <Applications />)}</Opened>
      <SecretsDialogHost />
    </>
  );
}
