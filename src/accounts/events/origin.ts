import bowser from 'bowser';
import { isText } from '../../core/text/text.js';
import type { Device } from '../../platform/mail/templates/words/kinds.js';
import type { Call } from '../../policy/call.js';
import type { Origin } from '../../policy/lifecycle.js';

export type { Origin };

/** The actor and the reason of an ending, and the origin if the owner requested it. */
export interface RevocationCause {
  readonly by: 'owner' | 'administrator' | 'application' | 'finder' | 'service';
  readonly reason: string;
  readonly origin?: Origin;
}

/**
 * Returns the operating system that a native client sends in `X-Service-Client-Properties`. Malformed values are
 * ignored.
 */
function parseClientOs(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string' || header.length > 4096) return null;
  try {
    const { os } = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
    return isText(os) && os.length <= 64 ? os : null;
  } catch {
    return null;
  }
}

/** The origin of a request, for security events and the audit log. */
export const getOrigin = (call: Call): Origin => ({
  ip: call.address,
  userAgent: call.userAgent,
  os: parseClientOs(call.req.headers['x-service-client-properties']),
  ...(call.identity?.via === 'session' && { session: call.identity.digest.toString('base64url') }),
});

/** Client info of a session (auth.md section 3). */
export function clientInfo({ userAgent, os }: Pick<Origin, 'userAgent' | 'os'>) {
  const parsed = userAgent ? bowser.parse(userAgent) : null;
  const kind = parsed?.platform.type;
  return {
    platform: parsed?.platform.type ?? null,
    // The name of an unknown browser is an empty text.
    os: os ?? (parsed?.os.name || null),
    browser: parsed?.browser.name || null,
    device: kind === 'mobile' || kind === 'tablet' ? 'mobile' : 'desktop',
  };
}

const BROWSERS: ReadonlySet<string | null> = new Set(Object.values(bowser.BROWSER_MAP as Record<string, string>));
/** Longest first, because a name may be a prefix of another. */
const SYSTEMS = Object.values(bowser.OS_MAP as Record<string, string>).sort((a, b) => b.length - a.length);

/** Finds the known operating system with whose name a text starts, such as `Windows 11`. */
const findKnownSystem = (text: string | null): string | undefined =>
  SYSTEMS.find((name) => `${text?.toLowerCase()} `.startsWith(`${name.toLowerCase()} `));

/**
 * Describes a device only with names from fixed lists. The client controls its user agent, so free text would let an
 * attacker put words into an email from the service.
 */
export function describeClient({ userAgent, os: named }: Pick<Origin, 'userAgent' | 'os'>): Device {
  const { browser, os } = clientInfo({ userAgent, os: null });
  return {
    browser: BROWSERS.has(browser) ? browser : null,
    system: findKnownSystem(named) ?? findKnownSystem(os) ?? null,
  };
}

/** Client info with names from fixed lists, for a page that shows the device to a user who may not own it. */
export function knownClientInfo(origin: Pick<Origin, 'userAgent' | 'os'>) {
  const { browser, system } = describeClient(origin);
  return { ...clientInfo(origin), browser, os: system };
}
