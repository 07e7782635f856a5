import type { JsonWebKey } from 'node:crypto';

/** The result of an attempt as its caller sees it: it succeeded, it was rejected, or no response shows the result. */
export type Outcome = 'ok' | 'refused' | 'unknown';

/** Start and end, in milliseconds of one monotonic clock. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** A request that a client sent to a replica. It starts before sending and ends after reading the response. */
export interface Attempt extends Interval {
  readonly outcome: Outcome;
  /** The index of the replica. */
  readonly replica: number;
}

/**
 * Anything that grants access: a token, a key with one of its ACLs, an IP address without a ban, a single-use secret.
 */
export interface Credential {
  readonly id: string;
  /** Groups of credentials that can be revoked together, including this one. */
  readonly scopes: readonly string[];
  /** The attempt that issued it. */
  readonly issued: Interval;
  readonly isOneTime?: true;
  /** How long the contract allows its use after its end, in milliseconds. Default: 0. */
  readonly endsWithin?: number;
}

/** A credential was presented. */
export interface Use extends Attempt {
  readonly credential: string;
  /** Set if the attempt was to resume a gateway session. */
  readonly how?: 'resume';
}

/** A credential was presented to a service that keeps decisions (forward-auth.md section 4). */
export interface ServiceUse extends Interval {
  /** The index of the service. */
  readonly service: number;
  readonly credential: string;
  readonly outcome: Outcome;
}

/** A disturbance of a service. `isCut`: it ran and could not reach Gatehouse. */
export interface ServiceDisturbance extends Interval {
  readonly service: number;
  readonly fault: string;
  readonly isCut: boolean;
}

/** An attempt to revoke everything with one of these scopes that was issued earlier. */
export interface Revocation extends Interval {
  readonly outcome: Outcome;
  readonly kind: string;
  readonly ends: readonly string[];
  /** IDs of credentials that stay valid. */
  readonly spares: readonly string[];
}

/** A report that a credential has leaked. The credential ends after the response. */
export interface LeakReport extends Attempt {
  readonly credential: string;
}

/** An attempt to change a member to a value. */
export interface Write extends Attempt {
  readonly member: string;
  readonly value: string;
}

/** A member was read. Null if it had no value. */
export interface Read extends Interval {
  readonly replica: number;
  readonly member: string;
  readonly value: string | null;
}

/** A gateway session from READY until its socket closes. */
export interface Socket {
  readonly credential: string;
  readonly replica: number;
  readonly opened: number;
  /** Null if it was still open when the history ended. */
  closed: number | null;
  code: number | null;
}

/** A login session for which an application has an ID token. */
export interface Login {
  /** Its end is the end of this credential. */
  readonly credential: string;
  readonly sid: string;
  /** The scope that ends the application, which then gets no logout token. */
  readonly application: string;
}

/** An ID token or a logout token, as its recipient got it. */
export interface SignedToken {
  readonly kind: 'ID token' | 'logout token';
  readonly sid: string;
  readonly token: string;
  readonly at: number;
}

/** The public keys that a replica published. */
export interface KeySet extends Interval {
  readonly replica: number;
  readonly keys: readonly (JsonWebKey & { readonly kid: string })[];
}

/** An attempt to rotate the signing keys. */
export interface Rotation extends Interval {
  readonly outcome: 'ok' | 'unknown';
}

/** An event that every listening session must receive. */
export interface PublishedEvent extends Interval {
  readonly topic: string;
  readonly name: string;
}

/** What a gateway session received of a topic since it started, in order, over all of its sockets. */
export interface Stream {
  readonly topic: string;
  readonly since: number;
  readonly received: string[];
  /** When the gateway reported that the session no longer exists. */
  discarded: number | null;
}

/**
 * A disturbance of a replica. `stopped`: its process could not run. `deaf`: it ran and could not receive notifications,
 * for example while its database was unreachable. `fault`: the cause.
 */
export interface Disturbance extends Interval {
  readonly replica: number;
  readonly kind: 'stopped' | 'deaf';
  readonly fault: string;
}

/** A record of all attempts, made by one process and therefore with one clock. */
export class History {
  readonly credentials = new Map<string, Credential>();
  readonly uses: Use[] = [];
  readonly serviceUses: ServiceUse[] = [];
  readonly serviceDisturbances: ServiceDisturbance[] = [];
  readonly revocations: Revocation[] = [];
  readonly leakReports: LeakReport[] = [];
  readonly writes: Write[] = [];
  readonly reads: Read[] = [];
  readonly sockets: Socket[] = [];
  readonly events: PublishedEvent[] = [];
  readonly streams: Stream[] = [];
  readonly disturbances: Disturbance[] = [];
  readonly logins: Login[] = [];
  readonly tokens: SignedToken[] = [];
  readonly keySets: KeySet[] = [];
  readonly rotations: Rotation[] = [];
  /** When the observation ended. */
  end = Number.POSITIVE_INFINITY;

  issue(credential: Credential): Credential {
    this.credentials.set(credential.id, credential);
    return credential;
  }

  /** One line of JSON per entry, for inspecting the findings of a checker. */
  *lines(): Generator<string> {
    yield JSON.stringify({ entry: 'end', at: this.end });
    for (const credential of this.credentials.values()) yield JSON.stringify({ entry: 'credential', ...credential });
    const attempts = ['uses', 'serviceUses', 'revocations', 'leakReports', 'writes', 'reads'] as const;
    const others = ['sockets', 'events', 'streams', 'disturbances', 'serviceDisturbances'] as const;
    const openid = ['logins', 'tokens', 'keySets', 'rotations'] as const;
    const entries = [...attempts, ...others, ...openid];
    for (const entry of entries) {
      for (const one of this[entry]) yield JSON.stringify({ entry, ...one });
    }
  }
}
