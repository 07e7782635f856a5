/** What a caller knows of an attempt: it was done, it was refused, or no answer tells. */
export type Outcome = 'ok' | 'refused' | 'unknown';

/** From when to when, in milliseconds of one monotonic clock. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Something that a client asked of a replica: begun before it was sent, ended after its answer was read. */
export interface Attempt extends Interval {
  readonly outcome: Outcome;
  /** The place of the replica among the replicas. */
  readonly replica: number;
}

/** Whatever admits: a token, a key with one of its ACLs, an address that is not banned, a secret that works once. */
export interface Credential {
  readonly id: string;
  /** Each can be ended as a whole, and this credential with it. */
  readonly scopes: readonly string[];
  /** The attempt that it came from. */
  readonly issued: Interval;
  readonly isOneTime?: true;
  /** The contract lets it be used for so long after its end, in milliseconds; 0 unless told. */
  readonly endsWithin?: number;
}

/** A credential was presented. */
export interface Use extends Attempt {
  readonly credential: string;
  /** With it a gateway session was to go on. */
  readonly how?: 'resume';
}

/** Everything with one of these scopes that was issued before was to end. */
export interface Revocation extends Attempt {
  readonly kind: string;
  readonly ends: readonly string[];
  /** Ids of credentials that stay. */
  readonly spares: readonly string[];
}

/** A member was to be changed to a value. */
export interface Write extends Attempt {
  readonly member: string;
  readonly value: string;
}

/** A member was read; null where it had no value. */
export interface Read extends Interval {
  readonly replica: number;
  readonly member: string;
  readonly value: string | null;
}

/** A gateway session from its READY to the end of its socket. */
export interface Socket {
  readonly credential: string;
  readonly replica: number;
  readonly opened: number;
  /** Null while it was open when the history ended. */
  closed: number | null;
  code: number | null;
}

/** Something was done of which every session that listens is to be told. */
export interface Happening extends Interval {
  readonly topic: string;
  readonly name: string;
}

/** What a gateway session was told of a topic since it started, in this order, whatever sockets it had. */
export interface Stream {
  readonly topic: string;
  readonly since: number;
  readonly heard: string[];
  /** When the gateway said that it knows the session no more. */
  forgotten: number | null;
}

/**
 * What was done to a replica: its process could not run (`stopped`), or ran and could not hear (`deaf`), as while its
 * database was away. `fault`: how.
 */
export interface Disturbance extends Interval {
  readonly replica: number;
  readonly kind: 'stopped' | 'deaf';
  readonly fault: string;
}

/** A record of everything that was attempted, by one process and so by one clock. */
export class History {
  readonly credentials = new Map<string, Credential>();
  readonly uses: Use[] = [];
  readonly revocations: Revocation[] = [];
  readonly writes: Write[] = [];
  readonly reads: Read[] = [];
  readonly sockets: Socket[] = [];
  readonly events: Happening[] = [];
  readonly streams: Stream[] = [];
  readonly disturbances: Disturbance[] = [];
  /** When nobody looked any more. */
  end = Number.POSITIVE_INFINITY;

  issue(credential: Credential): Credential {
    this.credentials.set(credential.id, credential);
    return credential;
  }

  /** One line of JSON for each entry, for whoever wants to look at what a checker found. */
  *lines(): Generator<string> {
    yield JSON.stringify({ entry: 'end', at: this.end });
    for (const credential of this.credentials.values()) yield JSON.stringify({ entry: 'credential', ...credential });
    const entries = ['uses', 'revocations', 'writes', 'reads', 'sockets', 'events', 'streams', 'disturbances'] as const;
    for (const entry of entries) {
      for (const one of this[entry]) yield JSON.stringify({ entry, ...one });
    }
  }
}
