import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useAction } from '../../core/action.js';
import { download } from '../../core/download.js';
import { formatWait, t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { useLostFocus } from '../../kit/lost-focus.js';
import { FailureNotice } from '../../kit/notice.js';
import { toast } from '../../kit/toast.js';
import { filtersInUrl } from './addresses.js';
import { FORMS, fetchAllEntries, type Progress } from './saving.js';

function useSaving() {
  const progress = useSignal<Progress | null>(null);
  const wanted = useRef<keyof typeof FORMS>('csv');
  const running = useRef(new AbortController());
  const action = useAction(async () => {
    const form = FORMS[wanted.current];
    const { signal } = running.current;
    progress.value = { done: 0, total: 0, waits: 0 };
    try {
      const tell = (next: Progress) => {
        progress.value = next;
      };
      const file = await fetchAllEntries(filtersInUrl(), form, signal, tell);
      download(`audit-log-${new Date().toISOString().slice(0, 10)}.${form.ending}`, form.type, file);
      toast(t('adminAudit.exported', { count: progress.value?.done ?? 0 }));
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      progress.value = null;
    }
  });
  const cancel = () => running.current.abort();
  useEffect(() => cancel, []);
  const start = (form: keyof typeof FORMS) => () => {
    if (action.isBusy.value) return;
    wanted.current = form;
    running.current = new AbortController();
    void action.run();
  };
  return { action, progress, start, cancel };
}

/** The progress of an export, with a button to cancel it. */
export const Running = ({
  of: { done, total, waits },
  onCancel,
}: {
  readonly of: Progress;
  readonly onCancel: () => void;
}) => (
  <div class="stack tight saving">
    <progress aria-label={t('adminAudit.export')} max={Math.max(total, 1)} value={done} />
    <p class="small">{t('adminAudit.progress', { done, total })}</p>
    {waits > 0 && <p class="small">{t('adminAudit.waits', { wait: formatWait(waits) })}</p>}
    <div>
      <Button kind="plain" size="small" onClick={onCancel}>
        {t('common.cancel')}
      </Button>
    </div>
  </div>
);

/** Exports all entries that match the filters, as a file. */
export function Export() {
  const { action, progress, start, cancel } = useSaving();
  const place = useRef<HTMLDivElement>(null);
  useLostFocus(place);
  const isOff = action.isBusy.value || action.wait.value > 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the group contains no form fields
    <div class="stack" role="group" aria-label={t('adminAudit.export')} tabIndex={-1} ref={place}>
      <div class="row">
        <Button kind="plain" size="small" disabled={isOff} onClick={start('csv')}>
          {t('adminAudit.exportCsv')}
        </Button>
        <Button kind="plain" size="small" disabled={isOff} onClick={start('lines')}>
          {t('adminAudit.exportLines')}
        </Button>
      </div>
      {progress.value && <Running of={progress.value} onCancel={cancel} />}
      <FailureNotice of={action} />
    </div>
  );
}
