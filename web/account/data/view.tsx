import { useAction } from '../../core/action.js';
import { api } from '../../core/api.js';
import { brand } from '../../core/brand.js';
import { download } from '../../core/download.js';
import { formatDateTime, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { ConfirmButton } from '../../kit/confirm-button.js';
import { FailureNotice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';
import { closeAccount } from '../account-closed.js';

const HOUR_MS = 3_600_000;

function Export() {
  const make = useAction(async () => {
    const exported = await api.post('/v1/users/@me/export');
    download('account.json', 'application/json', JSON.stringify(exported, null, 2));
    toast(t('data.exported'));
  });
  return (
    <section class="section" aria-labelledby="export">
      <h2 id="export">{t('data.export')}</h2>
      <p class="quiet">{t('data.exportHint')}</p>
      <FailureNotice of={make} />
      <div>
        <Button kind="plain" action={make}>
          {t('data.exportButton')}
        </Button>
      </div>
    </section>
  );
}

function Disable() {
  const disable = useAction(() => closeAccount(() => api.post('/v1/users/@me/disable'), { kind: 'disabled' }));
  return (
    <section class="section" aria-labelledby="disable">
      <h2 id="disable">{t('data.disable')}</h2>
      <p class="quiet">{t('data.disableHint')}</p>
      <div>
        <ConfirmButton label={t('data.disableButton')} title={t('data.disableAsk')} action={disable} kind="plain">
          <p>{t('data.disableHint')}</p>
        </ConfirmButton>
      </div>
    </section>
  );
}

function Delete() {
  const deadline = () => Date.now() + brand.deletionHours * HOUR_MS;
  const remove = useAction(() =>
    closeAccount(() => api.post('/v1/users/@me/delete'), { kind: 'deleted', at: deadline() }),
  );
  return (
    <section class="section" aria-labelledby="delete">
      <h2 id="delete">{t('data.delete')}</h2>
      <p class="quiet">{t('data.deleteHint')}</p>
      <div>
        <ConfirmButton label={t('data.deleteButton')} title={t('data.deleteAsk')} action={remove}>
          <p>{t('data.deleteEffects')}</p>
          <p>{t('data.deleteUntil', { date: formatDateTime(deadline()) })}</p>
        </ConfirmButton>
      </div>
    </section>
  );
}

/** Export, disable and delete the account. */
export default function Data() {
  return (
    <>
      <Export />
      <Disable />
      <Delete />
    </>
  );
}
