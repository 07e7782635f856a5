import bowser from 'bowser';
import { isText } from '../../core/text/text.js';
import type { Device } from '../../platform/mail/templates/words/kinds.js';
import type { Call } from '../../policy/call.js';

/** Where a request came from. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string;
  readonly os: string | null;
  /** The id hash of the session that asked, if one did. */
  readonly session?: string;
}

/** Who ended something, why, and from where if it was a request of the owner's. */
export interface Ending {
  readonly by: 'owner' | 'administrator' | 'application' | 'finder' | 'service';
  readonly reason: string;
  readonly origin?: Origin;
}

/** The operating system that a native client names in `X-Service-Client-Properties`; malformed is ignored. */
function namedOs(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string' || header.length > 4096) return null;
  try {
    const { os } = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
    return isText(os) && os.length <= 64 ? os : null;
  } catch {
    return null;
  }
}

export const originOf = (call: Call): Origin => ({
  ip: call.address,
  userAgent: call.userAgent,
  os: namedOs(call.req.headers['x-service-client-properties']),
  ...(call.identity?.via === 'session' && { session: call.identity.digest.toString('base64url') }),
});

/** Client info of a session (auth.md section 3). */
export function clientInfo({ userAgent, os }: Pick<Origin, 'userAgent' | 'os'>) {
  const parsed = userAgent ? bowser.parse(userAgent) : null;
  const kind = parsed?.platform.type;
  return {
    platform: parsed?.platform.type ?? null,
    os: os ?? parsed?.os.name ?? null,
    browser: parsed?.browser.name ?? null,
    device: kind === 'mobile' || kind === 'tablet' ? 'mobile' : 'desktop',
  };
}

const BROWSERS: ReadonlySet<string | null> = new Set(Object.values(bowser.BROWSER_MAP as Record<string, string>));
/** The longest first: one is the beginning of another. */
const SYSTEMS = Object.values(bowser.OS_MAP as Record<string, string>).sort((a, b) => b.length - a.length);

/** The system that a text begins with the name of, such as `Windows 11`. */
const systemIn = (text: string | null): string | undefined =>
  SYSTEMS.find((name) => `${text?.toLowerCase()} `.startsWith(`${name.toLowerCase()} `));

/**
 * A device in words of ours alone: what a client says of itself is free text, and a mail would say it with our voice to
 * somebody whom the client is not.
 */
export function describeClient({ userAgent, os: named }: Pick<Origin, 'userAgent' | 'os'>): Device {
  const { browser, os } = clientInfo({ userAgent, os: null });
  return { browser: BROWSERS.has(browser) ? browser : null, system: systemIn(named) ?? systemIn(os) ?? null };
}

/** Client info in the same words, for a page that shows the device to a user who may not own it. */
export function knownClientInfo(origin: Pick<Origin, 'userAgent' | 'os'>) {
  const { browser, system } = describeClient(origin);
  return { ...clientInfo(origin), browser, os: system };
}
