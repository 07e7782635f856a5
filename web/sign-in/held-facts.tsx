import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { linkParameter } from '../core/fragment.js';
import { formatDateTime } from '../core/language.js';
import { retryLoad } from '../core/retry-load.js';
import { Facts } from '../kit/facts.js';

interface Device {
  readonly browser: string | undefined;
  readonly system: string | undefined;
}

/** A sign-in that waits for approval. */
export interface HeldSignIn {
  /** The device as the link names it. Without it, the device is this browser. */
  readonly device?: Device;
  /** The IP address, if it is known here. */
  readonly ip?: string | undefined;
  readonly at: string | number;
}

type Bowser = typeof import('bowser').default;

/** The names of this browser and its system, as the service finds them in the user agent. */
function ownDevice(bowser: Bowser): Device {
  const { browser, os } = bowser.parse(navigator.userAgent);
  return { browser: browser.name, system: os.name };
}

/** Leaves out names that the service does not use, because anyone can write a link. */
function knownNames(bowser: Bowser, { browser, system }: Device): Device {
  const nameIn = (names: Readonly<Record<string, string>>, name: string | undefined) =>
    Object.values(names).find((known) => known === name);
  return { browser: nameIn(bowser.BROWSER_MAP, browser), system: nameIn(bowser.OS_MAP, system) };
}

/** The device, the IP address and the time of a sign-in that waits for approval. */
export function HeldFacts({ of: { device, ip, at } }: { readonly of: HeldSignIn }) {
  const shown = useSignal<Device | null>(null);
  useEffect(() => {
    const show = (bowser: Bowser) => {
      shown.value = device ? knownNames(bowser, device) : ownDevice(bowser);
    };
    retryLoad(() => import('bowser')).then(
      ({ default: bowser }) => show(bowser),
      () => {},
    );
  }, [shown]);
  // A placeholder of the same height, so that nothing moves.
  const { browser, system } = shown.value ?? { browser: '…', system: '…' };
  return (
    <Facts
      facts={[
        ['device.browser', browser],
        ['device.system', system],
        ...(ip === undefined ? [] : ([['device.address', <bdi key="ip">{ip}</bdi>]] as const)),
        ['device.time', <time dateTime={new Date(at).toISOString()}>{formatDateTime(at)}</time>],
      ]}
    />
  );
}

const ADDRESS = /^[0-9a-f.:]{2,45}$/i;

/** The sign-in as the emailed link describes it. Null for a link without a valid time. */
export function heldSignInOfLink(): HeldSignIn | null {
  const at = linkParameter('at');
  if (at === undefined || Number.isNaN(Date.parse(at))) return null;
  const ip = linkParameter('ip');
  return {
    device: { browser: linkParameter('browser'), system: linkParameter('system') },
    ip: ip !== undefined && ADDRESS.test(ip) ? ip : undefined,
    at,
  };
}
