import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE } from '../verify/subject.js';
import type { Replica } from './cluster.js';

/** A fault of a service that keeps decisions, or of the connection between it and the replicas. */
export type ServiceFault =
  /** The stream contains no revocations. */
  | 'a tag that is not announced'
  /** The stream contains heartbeats, and nothing from a replica. */
  | 'a heartbeat that is sent without a journal read'
  /** The library ignores resets. They occur because no stream continues after the mark of the former one. */
  | 'a cache that outlives a reset'
  /** The library keeps slow decisions although one of their tags was revoked in the meantime. */
  | 'a decision in flight while its tag is revoked';

const STREAM = 'GET /v1/decisions/revocations';
const HEARTBEAT = 'event: alive\ndata: {}\n\n';
const HEARTBEAT_CHUNK = `${HEARTBEAT.length.toString(16)}\r\n${HEARTBEAT}\r\n`;
const HEARTBEAT_MS = 250;
const DECISION_MS = 400;
/** How long a stream stays open, and how long the next one waits. */
const RESET_MS = { open: 2000, closed: 600 };

/** What the library of a service does not do. The texts are those of the built library. */
const OMISSIONS: Partial<Record<ServiceFault, readonly (readonly [from: string, to: string])[]>> = {
  'a cache that outlives a reset': [
    ['this.cache.clear();', ''],
    ['revocations.restart();', ''],
  ],
  'a decision in flight while its tag is revoked': [
    ['this.revocations.touch(tags, since) || this.revocations.follow(tags, as_of)', 'false'],
    ['this.keep(key, decision, since, sent)', 'this.keep(key, decision, this.revocations.position, sent)'],
  ],
};

/** The folder of a library with a fault; undefined if the fault is not one of the library. */
export function faultyLibrary(fault: ServiceFault | undefined): string | undefined {
  const omissions = fault && OMISSIONS[fault];
  if (!omissions) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-verify-'));
  cpSync(NODE.library, folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const path = join(folder, 'verifier.js');
  let code = readFileSync(path, 'utf8');
  for (const [from, to] of omissions) {
    if (!code.includes(from)) throw new Error(`The library does not contain ${from}`);
    code = code.replace(from, to);
  }
  writeFileSync(path, code);
  return folder;
}

/** Sends the response of a replica to a service, with a fault. */
function respond(far: Socket, near: Socket, isStream: boolean, fault: ServiceFault | undefined): void {
  if (fault === 'a tag that is not announced' && isStream) {
    const hide = (chunk: Buffer) => chunk.toString('latin1').replaceAll('event: revoked', 'event: ignored');
    far.on('data', (chunk: Buffer) => near.write(hide(chunk), 'latin1'));
  } else if (fault === 'a heartbeat that is sent without a journal read' && isStream) {
    far.once('data', (head: Buffer) => {
      near.write(head.subarray(0, head.indexOf('\r\n\r\n') + 4));
      const beats = setInterval(() => near.write(HEARTBEAT_CHUNK), HEARTBEAT_MS);
      near.on('close', () => clearInterval(beats));
      far.resume();
    });
  } else if (fault === 'a decision in flight while its tag is revoked' && !isStream) {
    far.on('data', (chunk: Buffer) => setTimeout(() => near.write(chunk), DECISION_MS));
  } else far.pipe(near);
}

/** Sends a request of a service to a replica, with a fault. */
function forward(first: Buffer, near: Socket, far: Socket, isReset: boolean): void {
  const send = () => {
    far.write(isReset ? first.toString('latin1').replace(/last-event-id: .*/i, 'last-event-id: unknown') : first);
    near.pipe(far);
  };
  if (!isReset) {
    send();
    return;
  }
  const opening = setTimeout(send, RESET_MS.closed);
  const closing = setTimeout(() => near.destroy(), RESET_MS.closed + RESET_MS.open);
  near.on('close', () => {
    clearTimeout(opening);
    clearTimeout(closing);
  });
}

/** Forwards each connection to the next replica. If the replica does not run, the connection ends. */
export class Balancer {
  private next = 0;
  private isFrozen = false;
  private readonly streams = new Set<Socket>();
  private readonly server = createServer((near) => this.connect(near));
  /** The replica that has sent the last stream. */
  streaming: Replica;

  constructor(
    private readonly replicas: readonly [Replica, ...Replica[]],
    private readonly fault?: ServiceFault,
  ) {
    [this.streaming] = replicas;
  }

  /** @returns its URL */
  async listen(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Streams stay open and contain nothing. */
  freezeStreams(isFrozen: boolean): void {
    this.isFrozen = isFrozen;
    if (isFrozen) for (const far of this.streams) far.unpipe().pause();
  }

  private connect(near: Socket): void {
    const replica = this.replicas[this.next++ % this.replicas.length] as Replica;
    const far = connect(Number(new URL(replica.processUrl).port), '127.0.0.1');
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.once('data', (first: Buffer) => {
      const isStream = first.includes(STREAM);
      if (isStream) {
        this.streaming = replica;
        this.streams.add(far.on('close', () => this.streams.delete(far)));
      }
      if (!(isStream && this.isFrozen)) respond(far, near, isStream, this.fault);
      forward(first, near, far, isStream && this.fault === 'a cache that outlives a reset');
    });
  }

  close(): void {
    this.server.close();
  }
}
