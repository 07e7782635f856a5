import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { CuttableProxy } from '../support/cuttable-proxy.js';
import { type Implementation, NODE, Subject, WSGI } from '../verify/subject.js';
import type { Replica } from './cluster.js';
import { pause, temporarily } from './pause.js';

const LIMITS = { timeoutMs: 2000, maxKept: 10_000 };
/** A client does not wait longer for a service that is halted. */
const SILENT_MS = 3000;

/** Forwards each connection to the next replica. If the replica does not run, the connection ends. */
async function balancer(replicas: readonly Replica[]): Promise<{ server: Server; url: string }> {
  let next = 0;
  const server = createServer((near) => {
    const { port } = new URL((replicas[next++ % replicas.length] as Replica).url);
    const far = connect(Number(port), '127.0.0.1');
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
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
    private readonly balancer: Server,
  ) {}

  /** The last service is written in Python if there is one on this machine. `library` replaces that of Node.js. */
  static async start(
    index: number,
    policy: string,
    replicas: readonly Replica[],
    client: { readonly id: string; readonly secret: string },
  ): Promise<Service> {
    const { server, url: replicasUrl } = await balancer(replicas);
    const { proxy, url } = await CuttableProxy.to(replicasUrl, 80);
    const hasPython = spawnSync(WSGI.command[0], ['--version']).status === 0;
    const implementation: Implementation = index === 2 && hasPython ? WSGI : NODE;
    const start = () => Subject.start(implementation, new URL(url).origin, client, LIMITS);
    return new Service(index, policy, await start(), start, proxy, server);
  }

  /** @returns the status of the response; 504 if there is none in time */
  async present(authorization: string): Promise<number> {
    const silence = pause(SILENT_MS).then(() => ({ status: 504 }));
    return (await Promise.race([this.subject.get(this.policy, { authorization }), silence])).status;
  }

  get faults(): readonly ServiceFault[] {
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
  }
}
