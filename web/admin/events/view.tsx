import { t } from '../../core/language.js';
import { Opened } from '../../kit/opened.js';
import { SecretsDialogHost } from '../../kit/shown-once.js';
import { AllEndpoints } from './list.js';
import { One } from './one.js';

/** The services that receive events as webhooks. */
export default function AdminEvents() {
  return (
    <>
      <Opened title={t('adminEvents.title')}>{(id) => (id ? <One key={id} id={id} /> : <AllEndpoints />)}</Opened>
      <SecretsDialogHost />
    </>
  );
}
