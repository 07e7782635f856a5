import type { ComponentChildren } from 'preact';
import { Fragment } from 'preact';
import { t, type Words } from '../core/language.js';

/** What a device says of itself, as the service answers it. */
export interface DeviceInfo {
  readonly browser: string | null;
  readonly os: string | null;
  readonly device: string;
}

type Fact = readonly [label: Words, value: ComponentChildren];

/** Names with values; what is not known says so. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(([label, value]) => (
      <Fragment key={label}>
        <dt>{t(label)}</dt>
        <dd>{value ?? t('device.unknown')}</dd>
      </Fragment>
    ))}
  </dl>
);

export const factsOf = ({ browser, os, device }: DeviceInfo): readonly Fact[] => [
  ['device.browser', browser],
  ['device.system', os],
  ['device.kind', t(device === 'mobile' ? 'device.mobile' : 'device.desktop')],
];
