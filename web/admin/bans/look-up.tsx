import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../../core/api.js';
import { rich, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Field, setterOf } from '../../kit/field.js';
import { Loading, useLoaded } from '../../kit/loaded.js';
import { Notice } from '../../kit/notice.js';
import { queryParameter, setQueryParameters } from '../parts/address.js';
import { can } from '../rights.js';
import { loadAuthors } from './authors.js';
import { type Ban, ENTRY, isAddress } from './ban.js';
import { About, AuditLink, LiftButton } from './entry.js';

interface OfAddress {
  readonly ip: string;
  readonly onChanged: () => void;
}

const Banned = ({ ip, ban, onChanged }: OfAddress & { readonly ban: Ban }) => (
  <>
    <Notice kind="warn">
      <p>
        {rich(ban.value === ip ? 'adminBans.isBanned' : 'adminBans.isCovered', {
          address: <code dir="ltr">{ip}</code>,
          entry: <code dir="ltr">{ban.value}</code>,
        })}
      </p>
    </Notice>
    <About ban={ban} />
    {can('delete', ENTRY) && (
      <div>
        <LiftButton ban={ban} onLifted={onChanged} />
      </div>
    )}
  </>
);

function BanOfAddress({ ip, onChanged }: OfAddress) {
  const loaded = useLoaded(async () => {
    const response = await api.get(ENTRY, { path: { value: ip } });
    await loadAuthors(response.entry ? [response.entry] : []);
    return response;
  });
  return (
    <Loading of={loaded}>
      {({ entry }) => (
        <>
          {entry ? (
            <Banned ip={ip} ban={entry} onChanged={onChanged} />
          ) : (
            <Notice kind="good">
              <p>{rich('adminBans.notBanned', { address: <code dir="ltr">{ip}</code> })}</p>
            </Notice>
          )}
          <AuditLink ip={ip} />
        </>
      )}
    </Loading>
  );
}

/** Checks whether an IP address is banned, and by which entry. The IP address is stored in the URL of the view. */
export function LookUp({ turn, onChanged }: { readonly turn: number; readonly onChanged: () => void }) {
  const ip = queryParameter('ip');
  const typed = useSignal(ip ?? '');
  useEffect(() => {
    typed.value = ip ?? '';
  }, [ip, typed]);
  const submit = (event: Event) => {
    event.preventDefault();
    if (typed.value.trim() === ip) onChanged();
    setQueryParameters({ ip: typed.value.trim() });
  };
  return (
    <section class="section" aria-labelledby="look-up">
      <h2 id="look-up">{t('adminBans.lookUp')}</h2>
      <form class="stack" onSubmit={submit}>
        <Field
          name="ip"
          label={t('adminBans.address')}
          value={typed.value}
          onValue={setterOf(typed)}
          wrong={ip && !isAddress(ip) ? t('adminBans.noAddress') : undefined}
          isVerbatim
          required
          maxLength={45}
        />
        <div>
          <Button submits kind="plain">
            {t('adminBans.lookUpSubmit')}
          </Button>
        </div>
      </form>
      {ip && isAddress(ip) && <BanOfAddress key={`${ip} ${turn}`} ip={ip} onChanged={onChanged} />}
    </section>
  );
}
