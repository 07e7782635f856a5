import type { ComponentChildren } from 'preact';
import { Fragment } from 'preact';
import { formatDateTime, type TranslationKey, t } from '../core/language.js';

/** The device that sent a request, as described by the service. */
export interface RequestingDevice {
  readonly client_info: { readonly browser: string | null; readonly os: string | null; readonly device: string };
  readonly masked_ip: string | null;
  readonly at: string;
}

type Fact = readonly [label: TranslationKey, value: ComponentChildren];

/** A list of names and values. Missing values are shown as unknown. */
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

export const requestingDeviceFacts = ({
  client_info: { browser, os, device },
  masked_ip,
  at,
}: RequestingDevice): readonly Fact[] => [
  ['device.browser', browser],
  ['device.system', os],
  ['device.kind', t(device === 'mobile' ? 'device.mobile' : 'device.desktop')],
  ['device.network', masked_ip && <bdi>{masked_ip}</bdi>],
  ['device.time', <time dateTime={at}>{formatDateTime(at)}</time>],
];
