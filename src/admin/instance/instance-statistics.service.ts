import { Injectable } from '@nestjs/common';
import { Outbox } from '../../platform/mail/outbox.js';
import { ReplicaStatistics, type ReplicaStatus } from '../../platform/replicas/replica-statistics.js';

type Counts = Readonly<Record<string, number>>;

const sumOf = (numbers: readonly number[]): number =>
  Math.round(numbers.reduce((sum, number) => sum + number, 0) * 100) / 100;

function mergedSum(counts: readonly Counts[]): Record<string, number> {
  const codes = [...new Set(counts.flatMap(Object.keys))].sort();
  return Object.fromEntries(codes.map((code) => [code, sumOf(counts.map((of) => of[code] ?? 0))]));
}

const replicaView = ({ workerId, version, startedAt, seenAt, numbers }: ReplicaStatus) => ({
  worker_id: workerId,
  version,
  started_at: startedAt.toISOString(),
  seen_at: seenAt.toISOString(),
  requests: numbers.requests,
  requests_per_second: numbers.requestsPerSecond,
  refusals: numbers.refusals,
  sign_ins: numbers.signIns,
  gateway_sockets: numbers.gatewaySockets,
  event_loop_delay_ms: numbers.eventLoopDelayMs,
});

/** Current statistics of the instance, per replica and in total (web.md section 4). */
@Injectable()
export class InstanceStatistics {
  constructor(
    private readonly statistics: ReplicaStatistics,
    private readonly outbox: Outbox,
  ) {}

  async show() {
    const [replicas, waiting] = await Promise.all([this.statistics.list(), this.outbox.countWaiting()]);
    const all = replicas.map(({ numbers }) => numbers);
    return {
      replicas: replicas.map(replicaView),
      total: {
        replicas: replicas.length,
        requests: sumOf(all.map(({ requests }) => requests)),
        requests_per_second: sumOf(all.map(({ requestsPerSecond }) => requestsPerSecond)),
        refusals: mergedSum(all.map(({ refusals }) => refusals)),
        sign_ins: sumOf(all.map(({ signIns }) => signIns)),
        gateway_sockets: sumOf(all.map(({ gatewaySockets }) => gatewaySockets)),
        event_loop_delay_ms: Math.max(0, ...all.map(({ eventLoopDelayMs }) => eventLoopDelayMs)),
      },
      mail_waiting: waiting,
    };
  }
}
