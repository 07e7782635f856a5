import type { Replica } from './cluster.js';
import type { Credential, Outcome, Stream } from './history.js';
import { now, type Recorder } from './recorder.js';

interface Dispatch {
  readonly s?: number;
  readonly t?: string;
  // biome-ignore lint/suspicious/noExplicitAny: data of many shapes
  readonly d?: any;
}

/** The name by which the history records the event of a dispatch, if it records it. */
const nameOf = ({ t, d }: Dispatch): string | undefined =>
  t === 'WEBHOOKS_UPDATE' && d.action === 'create' ? d.webhook_id : undefined;

/** A gateway session, over as many sockets as needed. */
export class Listener {
  private sessionId = '';
  private sequence = 0;
  private stream: Stream | undefined;
  private leave: () => void = () => {};

  constructor(
    private readonly recorder: Recorder,
    private readonly credential: Credential,
    private readonly token: string,
    private readonly topic: string,
  ) {}

  private readonly hear = (dispatch: Dispatch): void => {
    this.sequence = dispatch.s ?? this.sequence;
    if (dispatch.t === 'READY') {
      this.sessionId = dispatch.d.session_id;
      this.stream = { topic: this.topic, since: now(), received: [], discarded: null };
      this.recorder.history.streams.push(this.stream);
    }
    const name = nameOf(dispatch);
    if (name) this.stream?.received.push(name);
  };

  private async greet(replica: Replica, first: object, how?: 'resume') {
    const result = await this.recorder.recordIdentify(replica, this.credential, first, {
      recordEvent: this.hear,
      ...(how && { how }),
    });
    this.leave = result.leave;
    return result;
  }

  async identify(replica: Replica): Promise<Outcome> {
    return (await this.greet(replica, { op: 2, d: { token: this.token } })).outcome;
  }

  /** `forgotten`: the gateway no longer has the session. */
  async resume(replica: Replica): Promise<Outcome | 'forgotten'> {
    const { token, sessionId, sequence: seq } = this;
    const { outcome, isForgotten } = await this.greet(
      replica,
      { op: 6, d: { token, session_id: sessionId, seq } },
      'resume',
    );
    if (!isForgotten) return outcome;
    if (this.stream) this.stream.discarded ??= now();
    return 'forgotten';
  }

  /** Drops the connection. */
  drop(): void {
    this.leave();
  }
}
