import { t } from '../core/language.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Notice } from './notice.js';
import { CopyButton } from './shown.js';

export interface SecretProps {
  readonly title: string;
  /** Secrets by name; null while the dialog is closed. */
  readonly secrets: Readonly<Record<string, string>> | null;
  readonly onKept: () => void;
}

/** Shows secrets that are available only once. Closes only when the user confirms that they are saved. */
export const SecretDialog = ({ title, secrets, onKept }: SecretProps) => (
  <Dialog title={title} isOpen={secrets !== null} onCancel={() => {}}>
    <Notice kind="warn">{t('common.shownOnce')}</Notice>
    {Object.entries(secrets ?? {}).map(([name, secret]) => (
      <div class="stack tight" key={name}>
        <span class="quiet small">{name}</span>
        <div class="row">
          <code class="secret">{secret}</code>
          <CopyButton text={secret} label={`${t('common.copy')}: ${name}`} />
        </div>
      </div>
    ))}
    <div class="actions">
      <Button onClick={onKept}>{t('common.keptIt')}</Button>
    </div>
  </Dialog>
);
