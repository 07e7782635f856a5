import type { ComponentChildren } from 'preact';
import type { Action } from '../core/action.js';
import { formatWait, t } from '../core/language.js';

interface Look {
  readonly kind?: 'main' | 'plain' | 'bare' | 'danger';
  readonly size?: 'small' | 'wide';
  readonly children: ComponentChildren;
}

const classOf = ({ kind = 'main', size }: Look): string =>
  ['button', kind === 'main' ? '' : kind, size ?? ''].filter(Boolean).join(' ');

export interface ButtonProps extends Look {
  /** The action of the button. The button shows a spinner while it runs and a countdown while it is rate limited. */
  readonly action?: Action;
  readonly onClick?: (event: Event) => void;
  /** Submits the form. */
  readonly submits?: boolean;
  readonly disabled?: boolean;
  /** Returns false to ignore a click. */
  readonly acceptsClick?: (click: MouseEvent) => boolean;
  readonly label?: string;
}

/** A disabled button keeps the focus and is announced as disabled. */
export function Button({ action, onClick, submits, disabled = false, acceptsClick, label, ...look }: ButtonProps) {
  const isBusy = action?.isBusy.value ?? false;
  const seconds = action?.wait.value ?? 0;
  const isOff = disabled || isBusy || seconds > 0;
  const click = (event: MouseEvent) => {
    if (isOff || acceptsClick?.(event) === false) event.preventDefault();
    else if (onClick) onClick(event);
    else if (!submits) void action?.run(event);
  };
  return (
    <button
      type={submits ? 'submit' : 'button'}
      class={classOf(look)}
      aria-disabled={isOff ? 'true' : undefined}
      aria-busy={isBusy ? 'true' : undefined}
      aria-label={label}
      onClick={click}
    >
      {isBusy && <span class="spinner" aria-hidden="true" />}
      {seconds > 0 ? t('common.wait', { wait: formatWait(seconds) }) : look.children}
    </button>
  );
}

export const LinkButton = ({ href, ...look }: Look & { readonly href: string }) => (
  <a class={classOf(look)} href={href}>
    {look.children}
  </a>
);
