import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { brand } from '../core/brand.js';

export interface PortraitProps {
  /** Whose: an account, or an application, which has the picture of its bot. */
  readonly id: string;
  readonly name: string;
  readonly picture: string | null;
}

/** The picture of somebody, or a letter; the name has to stand beside it. */
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

/** A word about what it stands beside. */
export const Badge = ({ children }: { readonly children: ComponentChildren }) => <span class="badge">{children}</span>;
