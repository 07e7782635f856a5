import type { paths, ResponseBody } from '@gatehouse-auth/client';
import { brand } from '../../core/brand.js';
import { t } from '../../core/language.js';
import { Button } from '../../kit/button.js';
import { Dialog } from '../../kit/dialog.js';
import { Notice } from '../../kit/notice.js';
import { CopyButton } from '../../kit/shown.js';
import { tagOf, user } from '../account.js';
import './codes.css';

export type Codes = ResponseBody<paths, '/v1/users/@me/mfa/backup-codes', 'post'>['backup_codes'];

export const unusedOf = (codes: Codes): number => codes.filter(({ consumed }) => !consumed).length;

function download(text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${brand.product}-${t('factors.fileName')}.txt`.replaceAll(/\s+/g, '-');
  link.click();
  URL.revokeObjectURL(url);
}

export interface CodesDialogProps {
  /** A new set; null while the dialog is closed. */
  readonly codes: Codes | null;
  readonly onKept: () => void;
}

/** Shows new backup codes, which are available only once, with buttons to copy, download and print them. */
export function CodesDialog({ codes, onKept }: CodesDialogProps) {
  const list = (codes ?? []).map(({ code }) => code ?? '');
  const owner = `${brand.product}: ${user.value ? tagOf(user.value) : ''}`;
  return (
    <Dialog title={t('factors.codesTitle')} isOpen={codes !== null} onCancel={() => {}}>
      <Notice kind="warn">{t('common.shownOnce')}</Notice>
      <p>{t('factors.codesWhat')}</p>
      <div class="printed stack tight">
        <span class="small quiet">{owner}</span>
        <ol class="codes" dir="ltr">
          {list.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
      </div>
      <div class="row">
        <CopyButton text={list.join('\n')} />
        <Button kind="plain" size="small" onClick={() => download(`${owner}\n\n${list.join('\n')}\n`)}>
          {t('factors.download')}
        </Button>
        <Button kind="plain" size="small" onClick={() => print()}>
          {t('factors.print')}
        </Button>
      </div>
      <div class="actions">
        <Button onClick={onKept}>{t('common.keptIt')}</Button>
      </div>
    </Dialog>
  );
}
