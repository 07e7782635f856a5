import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { brand } from '../core/brand.js';

export interface PortraitProps {
  /** ID of an account or application. An application shares the image of its bot. */
  readonly id: string;
  readonly name: string;
  readonly picture: string | null;
}

/** The image of an account, or its initial. The name must be shown next to it. */
export function Portrait({ id, name, picture }: PortraitProps) {
  const isBroken = useSignal(false);
  if (picture === null || isBroken.value) {
    return (
      <span class="portrait" aria-hidden="true">
        {[...name][0]?.toUpperCase()}
      </span>
    );
  }
  return (
    <img
      class="portrait"
      alt=""
      src={`${brand.media}/avatars/${id}/${picture}.webp?size=96`}
      onError={() => {
        isBroken.value = true;
      }}
    />
  );
}

export const Badge = ({ children }: { readonly children: ComponentChildren }) => <span class="badge">{children}</span>;
