import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { brand } from '../core/brand.js';
import { Icon } from './icon.js';

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

export interface BadgeProps {
  /** The meaning, which determines the color and the icon. Default: a plain fact. */
  readonly kind?: 'good' | 'warn' | 'bad';
  readonly children: ComponentChildren;
}

const ICON_OF_KIND = { good: 'check', warn: 'triangle-alert', bad: 'ban' } as const;

/** A short state next to a name. */
export const Badge = ({ kind, children }: BadgeProps) => (
  <span class={`badge ${kind ?? ''}`}>
    {kind && <Icon name={ICON_OF_KIND[kind]} size={16} />}
    {children}
  </span>
);
