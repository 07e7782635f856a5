import type { ResponseHeaders } from './auth-error.js';

/** The authenticated caller of a request. */
export interface Caller {
  readonly kind: 'session' | 'bot' | 'bearer' | 'anonymous';
  readonly account_id?: string;
  /** `<username>#<discriminator>` */
  readonly username?: string;
  readonly application_id?: string;
  readonly scopes?: readonly string[];
  readonly [member: string]: unknown;
}

interface Common {
  /** What the decision depends on. */
  readonly tags: readonly string[];
  /** The mark of the journal that was read before the decision. */
  readonly as_of?: string;
}

export interface Admission extends Common {
  readonly admitted: true;
  readonly identity: Caller;
  /** Seconds for which it may be kept. */
  readonly expires_in: number;
}

export interface Rejection extends Common {
  readonly admitted: false;
  readonly status: number;
  readonly headers?: ResponseHeaders;
  /** The body as a text, or as JSON. */
  readonly body?: unknown;
}

/** The response of `POST /v1/decisions` (forward-auth.md section 3). */
export type Decision = Admission | Rejection;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws Error if a response is not a decision */
export function decisionOf(value: unknown): Decision {
  if (!isRecord(value) || !Array.isArray(value.tags)) throw new Error('Gatehouse did not return a decision');
  const isAdmission = value.admitted === true && isRecord(value.identity) && Number.isFinite(value.expires_in);
  const isRejection = value.admitted === false && Number.isInteger(value.status);
  if (!isAdmission && !isRejection) throw new Error('Gatehouse did not return a decision');
  return value as unknown as Decision;
}

/** The body of a rejection as it is sent. */
export const bodyOf = ({ body = '' }: Rejection): string => (typeof body === 'string' ? body : JSON.stringify(body));
