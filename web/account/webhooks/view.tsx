import { t } from '../../core/language.js';
import { Opened } from '../../kit/opened.js';
import { SecretsDialogHost } from '../../kit/shown-once.js';
import { Webhooks } from './list.js';
import { One } from './one.js';

/** Webhooks of the signed-in user and their messages. */
export default function OwnWebhooks() {
  return (
    <>
      <Opened title={t('webhooks.title')}>{(id) => (id ? <One key={id} id={id} /> : <Webhooks />)}</Opened>
      <SecretsDialogHost />
    </>
  );
}
