import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { Metrics } from '../core/metrics.js';
import { Load } from '../http/load.js';
import { ClientAuthenticator, clientOf } from '../oauth/tokens/client-authenticator.service.js';
import { Database } from '../platform/database/database.js';
import type { JournalRow } from '../platform/replicas/journal.js';
import { ReplicaBus } from '../platform/replicas/replica-bus.js';
import type { Call } from '../policy/call.js';
import { Marks } from './marks.js';
import { RevocationStream } from './revocation-stream.js';
import { StreamSlots } from './stream-slots.service.js';
import { changedClientsOf, REVOCATION_TOPICS, type Subject, subjectsOf, Tags } from './tags.js';

const HEARTBEAT_INTERVAL_MS = 250;
/** The embedded database does not notify this process of the entries that triggers write. */
const EMBEDDED_READ_INTERVAL_MS = 50;
/** The timer has a resolution of a few milliseconds. */
const MIN_HEARTBEAT_INTERVAL_MS = 230;
/** A client that has missed more entries than this drops all decisions instead. */
const MAX_REPLAYED = 10_000;

/** Changes with everything that ends a stream. */
const CLIENT_VERSION = `
  SELECT md5(ROW(client_type, secret_digest, resource_policies, version)::text) AS version FROM application WHERE id = $1`;

/**
 * Sends revocations to services that keep decisions (contract/forward-auth.md section 3). All come from the journal, in
 * the order of its IDs. A heartbeat proves that this replica has just read the journal.
 */
@Injectable()
export class RevocationStreams implements OnModuleInit, BeforeApplicationShutdown {
  private readonly streams = new Set<RevocationStream>();
  private timer: NodeJS.Timeout | undefined;
  /** The mark of the last complete read. Everything up to it was sent. */
  private mark = '';
  private identity = '';

  constructor(
    private readonly database: Database,
    private readonly replicaBus: ReplicaBus,
    private readonly marks: Marks,
    private readonly tags: Tags,
    private readonly slots: StreamSlots,
    private readonly clients: ClientAuthenticator,
    private readonly load: Load,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    for (const topic of REVOCATION_TOPICS) this.replicaBus.follow(topic, (row) => this.onEntry(row));
    this.replicaBus.onRead((startedAt) => this.onRead(startedAt));
    this.replicaBus.on('gap', () => this.reset());
    this.replicaBus.on('rewound', () => this.reset());
    this.metrics.measure('gatehouse_revocation_streams', async () => this.streams.size);
  }

  /**
   * Opens the stream of an application and sends it until the client disconnects.
   * @param since the `Last-Event-ID` of the client
   * @throws ApiError RATE_LIMITED, INVALID_CLIENT
   */
  async open(call: Call, since: string | undefined): Promise<void> {
    const { applicationId } = clientOf(call);
    const { res } = call;
    const slot = await this.slots.take(applicationId);
    const stream = new RevocationStream(applicationId, res);
    const end = () => {
      this.remove(stream);
      this.slots.free(slot);
    };
    try {
      this.add(stream);
      // From here on, a change ends the stream. The client must still be authentic after the version was read.
      stream.version = await this.versionOf(applicationId);
      await this.clients.authenticate(call, true);
      call.transfers.beginStream(call);
    } catch (error) {
      end();
      throw error;
    }
    res.once('close', end);
    call.flushHeaders();
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    res.flushHeaders();
    if (call.req.method === 'HEAD') return stream.end();
    if (since !== undefined) await this.replay(stream, since);
    stream.start();
    this.replicaBus.requestRead();
  }

  /** Sends the revocations after a mark, or a reset if they are not known. */
  private async replay(stream: RevocationStream, since: string): Promise<void> {
    const { mark } = this;
    const position = this.marks.parse(since);
    const entries = position && (await this.entriesAfter(position));
    if (!entries) stream.reset(mark);
    for (const entry of entries ?? []) {
      const subjects = subjectsOf(entry);
      if (subjects.length > 0) stream.replay(this.tags.of(stream.applicationId, subjects), since);
    }
  }

  private async entriesAfter(position: NonNullable<ReturnType<Marks['parse']>>) {
    const entries = await this.replicaBus.entriesAfter(position, REVOCATION_TOPICS, MAX_REPLAYED + 1).catch(() => null);
    return entries && entries.length <= MAX_REPLAYED ? entries : null;
  }

  private add(stream: RevocationStream): void {
    this.streams.add(stream);
    if (this.timer) return;
    this.mark = this.marks.current();
    this.identity = this.replicaBus.identity;
    const interval = this.database.isEmbedded ? EMBEDDED_READ_INTERVAL_MS : HEARTBEAT_INTERVAL_MS;
    this.timer = setInterval(() => this.tick(), interval).unref();
  }

  private remove(stream: RevocationStream): void {
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private tick(): void {
    if (this.load.closesConnections) this.endAll();
    else this.replicaBus.requestRead();
  }

  private onEntry(row: JournalRow): void {
    if (this.streams.size === 0) return;
    const changed = changedClientsOf(row);
    for (const stream of this.streams) if (changed.includes(stream.applicationId)) this.endIfChanged(stream);
    const subjects = subjectsOf(row);
    if (subjects.length > 0) this.revoke(subjects);
  }

  /** Ends a stream unless its client authenticated after the last change. */
  private endIfChanged(stream: RevocationStream): void {
    this.versionOf(stream.applicationId)
      .then((version) => {
        if (stream.version !== undefined && stream.version !== version) stream.end();
      })
      .catch(() => stream.end());
  }

  private async versionOf(applicationId: string): Promise<string | undefined> {
    const [row] = await this.database.statement<{ version: string }>('client-version', CLIENT_VERSION, [applicationId]);
    return row?.version;
  }

  private revoke(subjects: readonly Subject[]): void {
    const tagsByApplication = new Map<string, readonly string[]>();
    for (const stream of this.streams) {
      const { applicationId } = stream;
      const tags = tagsByApplication.get(applicationId) ?? this.tags.of(applicationId, subjects);
      tagsByApplication.set(applicationId, tags);
      stream.revoke(tags, this.mark);
    }
    this.metrics.add('gatehouse_revocations_sent_total', {}, this.streams.size);
  }

  private onRead(startedAt: number): void {
    if (this.streams.size === 0) return;
    this.mark = this.marks.current();
    if (this.identity !== this.replicaBus.identity) this.reset();
    for (const stream of this.streams) stream.beat(startedAt, MIN_HEARTBEAT_INTERVAL_MS, this.mark);
  }

  private reset(): void {
    this.identity = this.replicaBus.identity;
    this.mark = this.marks.current();
    for (const stream of this.streams) stream.reset(this.mark);
  }

  private endAll(): void {
    for (const stream of this.streams) stream.end();
  }

  beforeApplicationShutdown(): void {
    this.endAll();
  }
}
