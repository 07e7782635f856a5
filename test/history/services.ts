import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import { type Implementation, NODE, Subject, WSGI } from '../verify/subject.js';
import type { Replica } from './cluster.js';

const LIMITS = { timeoutMs: 2000, maxKept: 10_000 };
/** A client does not wait longer for a service that is halted. */
const SILENT_MS = 3000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A fault that is planted between the replicas and a service. */
export type StreamFault =
  /** Revocations are not announced. */
  | 'a tag that is not announced'
  /** Heartbeats are sent although the stream receives nothing from the journal. */
  | 'heartbeats without a read of the journal';

const HEARTBEAT = 'event: alive\ndata: {}\n\n';
/** A chunk of the transfer encoding. */
const CHUNK = `${HEARTBEAT.length.toString(16)}\r\n${HEARTBEAT}\r\n`;

/** Forwards each connection to the next replica. If the replica does not run, the connection ends. */
class Balancer {
  fault: StreamFault | undefined;
  private next = 0;
  readonly server = createServer((near) => this.forward(near));

  constructor(private readonly replicas: readonly Replica[]) {}

  async listen(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private forward(near: Socket): void {
    const { url } = this.replicas[this.next++ % this.replicas.length] as Replica;
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    let isStream = false;
    let beats: NodeJS.Timeout | undefined;
    near.once('data', (first) => {
      isStream = first.includes('/v1/decisions/revocations');
    });
    near.on('close', () => clearInterval(beats)).pipe(far);
    far.on('data', (chunk: Buffer) => {
      if (!isStream || !this.fault) near.write(chunk);
      else if (this.fault === 'a tag that is not announced')
        near.write(chunk.toString('latin1').replaceAll('event: revoked', 'event: ignored'), 'latin1');
      else if (chunk.includes('HTTP/1.1 200')) {
        near.write(chunk.subarray(0, chunk.indexOf('\r\n\r\n') + 4));
        beats = setInterval(() => near.write(CHUNK), 250);
      }
    });
  }
}

type ServiceFault = readonly [name: string, isCut: boolean, work: (ms: number) => Promise<void>];

/** A service that keeps decisions. Its process and its connection to the replicas can be disturbed. */
export class Service {
  private constructor(
    readonly index: number,
    private readonly policy: string,
    private subject: Subject,
    private readonly restart: () => Promise<Subject>,
    /** Between the service and the replicas. */
    readonly proxy: CuttableProxy,
    private readonly balancer: Balancer,
  ) {}

  /** The last service is written in Python if there is one on this machine. `library` replaces that of Node.js. */
  static async start(
    index: number,
    policy: string,
    replicas: readonly Replica[],
    client: { readonly id: string; readonly secret: string },
  ): Promise<Service> {
    const balancer = new Balancer(replicas);
    const { proxy, url } = await CuttableProxy.to(await balancer.listen(), 80);
    const hasPython = spawnSync(WSGI.command[0], ['--version']).status === 0;
    const implementation: Implementation = index === 2 && hasPython ? WSGI : NODE;
    const start = () => Subject.start(implementation, new URL(url).origin, client, LIMITS);
    return new Service(index, policy, await start(), start, proxy, balancer);
  }

  /** @returns the status of the response; 504 if there is none in time */
  async present(authorization: string): Promise<number> {
    const silence = pause(SILENT_MS).then(() => ({ status: 504 }));
    return (await Promise.race([this.subject.get(this.policy, { authorization }), silence])).status;
  }

  /** Plants a fault, or removes it. New connections have it. */
  plant(fault: StreamFault | undefined): void {
    this.balancer.fault = fault;
    this.proxy.cut();
    this.proxy.restore();
  }

  get faults(): readonly ServiceFault[] {
    const { proxy } = this;
    const mended = (begin: () => void, end: () => void) => async (ms: number) => {
      begin();
      await pause(ms);
      end();
    };
    return [
      ['service killed', false, () => this.kill()],
      [
        'service halted',
        false,
        mended(
          () => this.subject.freeze(),
          () => this.subject.thaw(),
        ),
      ],
      [
        'service cut off from the replicas',
        true,
        mended(
          () => proxy.cut(),
          () => proxy.restore(),
        ),
      ],
      [
        'replicas silent to a service',
        true,
        mended(
          () => proxy.stopForwarding(),
          () => proxy.restore(),
        ),
      ],
    ];
  }

  private async kill(): Promise<void> {
    this.subject.close();
    this.subject = await this.restart();
  }

  close(): void {
    this.subject.thaw();
    this.subject.close();
    this.proxy.close();
    this.balancer.server.close();
  }
}
