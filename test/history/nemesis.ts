import type { Cluster, Replica } from './cluster.js';
import type { Disturbance, History } from './history.js';
import { pause, temporarily } from './pause.js';
import type { Random } from './random.js';
import { now } from './recorder.js';

/** If a process does not respond for this long, not even to the liveness check, it counts as stopped. */
const SILENT_MS = 1000;
const PROBE_MS = 500;

type Fault = readonly [name: string, kind: Disturbance['kind'], work: (ms: number) => Promise<void>];

/** Kills, stops and disconnects replicas and servers, one of each at a time, and records when. */
export class Nemesis {
  readonly counts = new Map<string, number>();

  constructor(
    private readonly cluster: Cluster,
    private readonly history: History,
    private readonly random: Random,
    private readonly isLong: boolean,
  ) {}

  /** Runs until `isOver`. Afterwards everything runs and is connected again. */
  async run(isOver: () => boolean): Promise<void> {
    const lane = async (random: Random, restMs: number, fault: (random: Random) => Promise<void>) => {
      for (;;) {
        const until = now() + random.between(0.5, 1.5) * restMs;
        while (now() < until && !isOver()) await pause(50);
        if (isOver()) return;
        await fault(random);
      }
    };
    const [ofReplicas, ofServers, ofServices] = [this.random.fork(), this.random.fork(), this.random.fork()];
    await Promise.all([
      lane(ofReplicas, 3000, (random) => this.disturbReplica(random)),
      lane(ofServers, 25_000, (random) => this.disturbServer(random)),
      lane(ofServices, 3000, (random) => this.disturbService(random)),
    ]);
  }

  /** Mostly short durations, and in a long run sometimes one that exceeds every time limit of the contract. */
  private duration(random: Random): number {
    return this.isLong && random.chance(0.1) ? random.between(14_000, 18_000) : random.between(200, 5000);
  }

  private async disturbReplica(random: Random): Promise<void> {
    const replica = random.pick(this.cluster.replicas);
    const { database, redis } = replica;
    const restart = (signal: NodeJS.Signals) => async () => {
      await replica.stop(signal);
      await replica.start();
    };
    const faults: readonly Fault[] = [
      ['replica killed', 'stopped', restart('SIGKILL')],
      ['replica terminated', 'deaf', restart('SIGTERM')],
      [
        'replica halted',
        'stopped',
        temporarily(
          () => replica.pause(),
          () => replica.resume(),
        ),
      ],
      [
        'replica cut off from PostgreSQL',
        'deaf',
        temporarily(
          () => database.cut(),
          () => database.restore(),
        ),
      ],
      [
        'PostgreSQL silent to a replica',
        'deaf',
        temporarily(
          () => database.stopForwarding(),
          () => database.restore(),
        ),
      ],
      [
        'replica cut off from Redis',
        'deaf',
        temporarily(
          () => redis.cut(),
          () => redis.restore(),
        ),
      ],
      [
        'Redis silent to a replica',
        'deaf',
        temporarily(
          () => redis.stopForwarding(),
          () => redis.restore(),
        ),
      ],
    ];
    await this.inflict(random.pick(faults), [replica], this.duration(random));
  }

  private async disturbServer(random: Random): Promise<void> {
    const { postgres, redis, replicas } = this.cluster;
    const restart = (server: typeof postgres, signal: NodeJS.Signals) => async () => {
      await server.stop(signal);
      await pause(random.between(0, 1500));
      await server.start();
    };
    const halted = (server: typeof postgres) => async (ms: number) => {
      server.pause();
      await pause(ms);
      server.resume();
    };
    const faults: readonly Fault[] = [
      ['PostgreSQL crashed', 'deaf', restart(postgres, 'SIGQUIT')],
      ['PostgreSQL stopped', 'deaf', restart(postgres, 'SIGINT')],
      ['PostgreSQL halted', 'deaf', halted(postgres)],
      ['Redis killed', 'deaf', restart(redis, 'SIGKILL')],
      ['Redis halted', 'deaf', halted(redis)],
    ];
    await this.inflict(random.pick(faults), replicas, Math.min(6000, this.duration(random)));
  }

  /** Kills and halts services, and cuts or freezes their connections to Gatehouse. */
  private async disturbService(random: Random): Promise<void> {
    const service = random.pick(this.cluster.services);
    const [fault, isCut, work] = random.pick(service.faults);
    const start = now();
    await work(this.duration(random));
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    this.history.serviceDisturbances.push({ service: service.index, fault, isCut, start, end: now() });
  }

  private async inflict([fault, kind, work]: Fault, on: readonly Replica[], ms: number): Promise<void> {
    const start = now();
    await work(ms);
    const end = now();
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    for (const { index } of on) this.history.disturbances.push({ replica: index, kind, fault, start, end });
  }

  /** Pauses that the machine itself causes also count as disturbances. */
  async probe(isOver: () => boolean): Promise<void> {
    const watch = async (replica: Replica) => {
      while (!isOver()) {
        const start = now();
        const { index } = replica;
        await replica.anonymous.get('/health/live').catch(() => undefined);
        const end = now();
        if (end - start > SILENT_MS) {
          this.history.disturbances.push({ replica: index, kind: 'stopped', fault: 'silence', start, end });
        }
        await pause(PROBE_MS);
      }
    };
    await Promise.all(this.cluster.replicas.map(watch));
  }
}
