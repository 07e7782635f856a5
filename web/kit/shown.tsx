import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../core/language.js';
import { retryLoad } from '../core/retry-load.js';
import { Button } from './button.js';
import { Icon } from './icon.js';
import { toast } from './toast.js';

export const Spinner = ({ label }: { readonly label: string }) => (
  <p class="row quiet" role="status">
    <span class="spinner" aria-hidden="true" />
    {label}
  </p>
);

/** The result of a finished step. */
export const Success = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="success" role="status">
    <span class="tick">
      <Icon name="check" />
    </span>
    <p>{children}</p>
  </div>
);

export const Empty = ({ children }: { readonly children: ComponentChildren }) => <div class="empty">{children}</div>;

/** A placeholder for text. */
export const Skeleton = ({ lines = 3 }: { readonly lines?: number }) => (
  <div class="stack tight" aria-hidden="true">
    {Array.from({ length: lines }, (_, index) => (
      <span class="skeleton" key={index} style={{ width: `${90 - index * 15}%` }} />
    ))}
  </div>
);

/** A QR code. The text must also be shown next to it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const path = useSignal<{ d: string; size: number } | null>(null);
  useEffect(() => {
    void retryLoad(() => import('uqr')).then(({ encode }) => {
      const { data, size } = encode(text, { border: 2 });
      const d = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
      path.value = { d, size };
    });
  }, [text, path]);
  const code = path.value;
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${code?.size ?? 1} ${code?.size ?? 1}`}>
      {code && <path d={code.d} fill="#000" shape-rendering="crispEdges" />}
    </svg>
  );
}

/** Code to copy. */
export const CodeBlock = ({ code, label }: { readonly code: string; readonly label: string }) => (
  <figure class="code-block">
    <figcaption class="row between">
      <span class="small">{label}</span>
      <CopyButton text={code} label={`${t('common.copy')}: ${label}`} isIcon />
    </figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
    <pre dir="ltr" tabIndex={0}>
      <code>{code}</code>
    </pre>
  </figure>
);

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  /** Shows an icon instead of the label. */
  readonly isIcon?: boolean;
}

export function CopyButton({ text, label = t('common.copy'), isIcon = false }: CopyButtonProps) {
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    toast(t('common.copied'));
  };
  return (
    <Button kind={isIcon ? 'bare' : 'plain'} size="small" label={label} onClick={() => void copy()}>
      {isIcon ? <Icon name="copy" size={16} /> : label}
    </Button>
  );
}
