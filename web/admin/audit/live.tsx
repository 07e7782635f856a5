import { useSignal } from '@preact/signals';
import { failureText } from '../../core/action.js';
import { t } from '../../core/language.js';
import { Choice, setterOf } from '../../kit/field.js';
import { Notice } from '../../kit/notice.js';
import { clock } from '../now/format.js';
import { usePolled } from '../now/polling.js';
import type { Entry } from './entry.js';

/** Reading the log adds no entry, so polling does not feed itself. */
const POLL_INTERVAL_MS = 5000;

/** Newer entries before the known ones, each once. Null if there may be a gap between them. */
export function withNewer(known: readonly Entry[], latest: readonly Entry[]): readonly Entry[] | null {
  const ids = new Set(known.map(({ log_id: id }) => id));
  const newer = latest.filter(({ log_id: id }) => !ids.has(id));
  if (newer.length === 0) return known;
  if (newer.length === latest.length) return null;
  // An entry of another replica can have a slightly lower ID than one that was already known.
  return [...newer, ...known].sort((a, b) => (BigInt(b.log_id) > BigInt(a.log_id) ? 1 : -1));
}

function Following({ ask }: { readonly ask: () => Promise<void> }) {
  const at = useSignal<number | null>(null);
  const { lost } = usePolled(async () => {
    await ask();
    at.value = Date.now();
  }, POLL_INTERVAL_MS);
  return (
    <>
      {at.value !== null && <span class="small quiet">{t('adminNow.asOf', { time: clock(at.value) })}</span>}
      {lost.value && (
        <Notice kind="warn">
          <p>{failureText(lost.value)}</p>
          <p>{t('adminNow.lost')}</p>
        </Notice>
      )}
    </>
  );
}

/** A switch that shows new entries as they come, while the page is visible. */
export function Live({ ask }: { readonly ask: () => Promise<void> }) {
  const isOn = useSignal(false);
  return (
    <div class="row">
      <Choice name="live" label={t('adminAudit.live')} checked={isOn.value} onChecked={setterOf(isOn)} />
      {isOn.value && <Following ask={ask} />}
    </div>
  );
}
