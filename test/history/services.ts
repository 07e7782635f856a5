import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import { type Implementation, NODE, Subject, WSGI } from '../verify/subject.js';
import type { Replica } from './cluster.js';
import { pause, temporarily } from './pause.js';
import { Balancer, faultyLibrary, type ServiceFault } from './service-plant.js';

const LIMITS = { timeoutMs: 2000, maxKept: 10_000 };
/** A client does not wait longer for a service that is halted. */
const SILENT_MS = 3000;

type Disruption = readonly [name: string, isCut: boolean, work: (ms: number) => Promise<void>];

/** A service that keeps decisions. Its process and its connection to the replicas can be disturbed. */
export class Service {
  private constructor(
    readonly index: number,
    private readonly policy: string,
    private subject: Subject,
    private readonly restart: () => Promise<Subject>,
    /** Between the service and the replicas. */
    readonly proxy: CuttableProxy,
    readonly balancer: Balancer,
    /** The folder of its library, if it has a planted fault. */
    private readonly faulty: string | undefined,
  ) {}

  /** The third service is written in Python if there is one on this machine. `fault`: a planted fault. */
  static async start(
    index: number,
    policy: string,
    replicas: readonly [Replica, ...Replica[]],
    client: { readonly id: string; readonly secret: string },
    fault?: ServiceFault,
  ): Promise<Service> {
    const balancer = new Balancer(replicas, fault);
    const { proxy, url } = await CuttableProxy.to(await balancer.listen(), 80);
    const hasPython = spawnSync(WSGI.command[0], ['--version']).status === 0;
    const faulty = faultyLibrary(fault);
    const node = faulty ? { ...NODE, library: faulty } : NODE;
    const implementation: Implementation = index === 2 && hasPython ? WSGI : node;
    const start = () => Subject.start(implementation, new URL(url).origin, client, LIMITS);
    return new Service(index, policy, await start(), start, proxy, balancer, faulty);
  }

  /** @returns the status of the response; 504 if there is none in time */
  async present(authorization: string, address?: string): Promise<number> {
    const headers = { authorization, ...(address && { 'x-test-address': address }) };
    const silence = pause(SILENT_MS).then(() => ({ status: 504 }));
    return (await Promise.race([this.subject.get(this.policy, headers), silence])).status;
  }

  /** The counters of the library. */
  metrics(): Promise<Record<string, number | null>> {
    return this.subject.metrics();
  }

  get faults(): readonly Disruption[] {
    const { proxy } = this;
    return [
      ['service killed', false, () => this.kill()],
      [
        'service halted',
        false,
        temporarily(
          () => this.subject.freeze(),
          () => this.subject.thaw(),
        ),
      ],
      [
        'service cut off from the replicas',
        true,
        temporarily(
          () => proxy.cut(),
          () => proxy.restore(),
        ),
      ],
      [
        'replicas silent to a service',
        true,
        temporarily(
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
    this.balancer.close();
    if (this.faulty) rmSync(this.faulty, { recursive: true });
  }
}
