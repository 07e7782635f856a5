import cluster, { type Worker } from 'node:cluster';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Log } from '../core/log.js';
import {
  type EndSignal,
  type MetricsReport,
  type PrimaryMessage,
  SLOT_VARIABLE,
  type WorkerMessage,
  type WorkerSlot,
} from '../core/workers/messages.js';
import { ExitedWorkerMetrics, MetricsCollection } from './reports.js';

const THREADS = join(import.meta.dirname, '../core/thread-pool.cjs');
const MIN_RESTART_DELAY_MS = 250;
const MAX_RESTART_DELAY_MS = 30_000;
/** A worker that ran this long did not fail during startup. */
const STABLE_AFTER_MS = 60_000;
/**
 * How long a started worker may take to become ready before the old worker is kept. The start itself has no limit,
 * because it may run migrations.
 */
const READY_TIMEOUT_MS = 60_000;

/** Restart back-off after consecutive early exits. */
export const restartDelayMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(MAX_RESTART_DELAY_MS, MIN_RESTART_DELAY_MS * 2 ** (failures - 1));

/** Variables that the primary itself needs: Node uses them to assign inspector ports. */
const KEPT_VARIABLES = new Set(['NODE_OPTIONS']);

/**
 * Empties the environment of this process and returns it for the workers. It is stored as bytes, so that diagnostic
 * reports and heap snapshots do not show it. Variables from `.env` are left out, because workers read that file, so a
 * new worker picks up changes.
 */
function takeEnvironment(): Buffer {
  const inFile = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  const given = Object.entries(process.env).filter(([name, value]) => inFile[name] !== value);
  for (const name of Object.keys(process.env)) if (!KEPT_VARIABLES.has(name)) delete process.env[name];
  return Buffer.from(JSON.stringify(Object.fromEntries(given)));
}

/** A worker in the primary. */
class WorkerHandle {
  state: 'starting' | 'serving' | 'leaving' = 'starting';
  readonly startedAt = performance.now();
  /** Its last metrics report. */
  report: MetricsReport = [];
  /** Resolves with whether the worker became ready before it exited. */
  readonly ready: Promise<boolean>;
  readonly started: Promise<void>;
  readonly ended: Promise<void>;
  private markReady: (isReady: boolean) => void = () => {};
  private markStarted: () => void = () => {};

  constructor(
    readonly number: number,
    readonly share: number,
    readonly worker: Worker,
  ) {
    this.ready = new Promise((resolve) => {
      this.markReady = resolve;
    });
    this.started = new Promise((resolve) => {
      this.markStarted = resolve;
    });
    this.ended = new Promise((resolve) => worker.once('exit', () => resolve()));
    worker.once('exit', () => this.markReady(false));
  }

  get pid(): number | undefined {
    return this.worker.process.pid;
  }

  onMessage(word: 'started' | 'ready' | 'leaving'): void {
    if (word === 'ready') this.markReady(true);
    else if (word === 'leaving') this.state = 'leaving';
    else {
      this.state = 'serving';
      this.markStarted();
    }
  }

  /** An order that cannot be delivered needs no handling, because the worker has exited. */
  send(order: PrimaryMessage): void {
    if (this.worker.isConnected()) this.worker.send(order, () => {});
  }

  /** A starting worker does not accept orders yet, so it gets a signal. */
  shutDown(signal: EndSignal): void {
    if (this.state === 'starting') this.worker.process.kill('SIGTERM');
    else this.send({ gatehouse: 'end', signal });
  }
}

/**
 * Starts workers behind one port and replaces those that exit. It reads only the number of workers and the log
 * settings, opens nothing and serves nothing.
 */
class ClusterPrimary {
  private readonly workers = new Map<number, WorkerHandle>();
  private readonly exitedWorkers = new ExitedWorkerMetrics();
  private readonly collections = new Set<MetricsCollection>();
  private readonly environment = takeEnvironment();
  private failures = 0;
  private replacementTimer: NodeJS.Timeout | undefined;
  private hasPrintedBanner = false;
  private signals = 0;
  private exitCode = 0;
  private replacement: Promise<void> | undefined;
  private replacesAgain = false;
  private collectionId = 0;

  constructor(
    private readonly count: number,
    private readonly log: Log,
  ) {
    cluster.setupPrimary({ execArgv: [...process.execArgv, '-r', THREADS] });
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.shutDown(signal));
    process.on('SIGHUP', () => this.replaceWorkers());
  }

  /**
   * Start one worker first: it runs migrations and prints the banner. If it cannot start, the error is printed only
   * once.
   */
  async run(): Promise<void> {
    await this.add().started;
    this.hasPrintedBanner = true;
    if (this.isShuttingDown) return;
    const others = Array.from({ length: this.count - 1 }, () => this.add());
    const started = await Promise.all(others.map(({ started, ended }) => Promise.race([started, ended])));
    this.log.info('workers started', { count: started.length + 1 });
  }

  private get isShuttingDown(): boolean {
    return this.signals > 0;
  }

  private get activeWorkers(): WorkerHandle[] {
    return [...this.workers.values()].filter(({ state }) => state !== 'leaving');
  }

  private add(share = this.firstFreeShare()): WorkerHandle {
    let number = 1;
    while (this.workers.has(number)) number++;
    const place: WorkerSlot = { number, share, printsBanner: !this.hasPrintedBanner };
    const worker = cluster.fork({ ...JSON.parse(this.environment.toString()), [SLOT_VARIABLE]: JSON.stringify(place) });
    const member = new WorkerHandle(number, share, worker);
    this.workers.set(number, member);
    worker.on('message', (word: WorkerMessage) => this.onMessage(member, word));
    worker.on('error', (error) => this.log.warn('sending a message to a worker failed', { worker: number, error }));
    worker.once('exit', (code, signal) => this.onExit(member, code, signal));
    return member;
  }

  private firstFreeShare(): number {
    const taken = new Set(this.activeWorkers.map(({ share }) => share));
    let share = 0;
    while (taken.has(share)) share++;
    return share;
  }

  private onMessage(member: WorkerHandle, word: WorkerMessage): void {
    if (word.gatehouse === 'gather') this.collectMetrics(member, word.id);
    else if (word.gatehouse === 'report') {
      member.report = word.report;
      for (const round of this.collections) round.markAnswered(member.number);
    } else if (typeof word.gatehouse === 'string') {
      member.onMessage(word.gatehouse);
      if (word.gatehouse === 'leaving') this.scheduleReplacement(member);
    }
  }

  /** Collects the metrics of all workers for the worker that asked. */
  private collectMetrics(asking: WorkerHandle, id: number): void {
    const serving = [...this.workers.values()].filter(({ state }) => state !== 'starting');
    const round = new MetricsCollection(new Set(serving.map(({ number }) => number)), () => {
      this.collections.delete(round);
      const reports = [...[...this.workers.values()].map(({ report }) => report), this.exitedWorkers.report];
      asking.send({ gatehouse: 'gathered', id, reports });
    });
    this.collections.add(round);
    this.collectionId++;
    for (const member of serving) member.send({ gatehouse: 'report', id: this.collectionId });
  }

  private onExit(member: WorkerHandle, code: number | null, signal: string | null): void {
    const { number, pid, state } = member;
    this.workers.delete(number);
    this.exitedWorkers.add(member.report);
    for (const round of this.collections) round.markAnswered(number);
    if (this.isShuttingDown) {
      // A worker that has not started is ended by the signal itself.
      const isStopped = state === 'starting' && signal === 'SIGTERM';
      this.exitCode ||= isStopped ? 0 : (code ?? 1);
      if (this.workers.size === 0) process.exit(this.exitCode);
      return;
    }
    // The first worker has printed the startup error, and other workers would repeat it.
    if (!this.hasPrintedBanner) process.exit(code ?? 1);
    if (state === 'leaving' && (code === 0 || signal === 'SIGTERM'))
      this.log.info('worker exited', { worker: number, pid });
    else this.log.error('worker exited unexpectedly', { worker: number, pid, exit_code: code, signal });
    if (state !== 'leaving') this.scheduleReplacement(member);
  }

  /** Replaces a worker that exited without an order. The delay grows while workers exit early. */
  private scheduleReplacement({ startedAt }: WorkerHandle): void {
    this.failures = performance.now() - startedAt < STABLE_AFTER_MS ? this.failures + 1 : 0;
    this.replacementTimer ??= setTimeout(() => {
      this.replacementTimer = undefined;
      while (!this.isShuttingDown && this.activeWorkers.length < this.count) this.add();
    }, restartDelayMs(this.failures));
  }

  /** Replaces workers one at a time. Each successor is ready before the old worker stops. */
  private replaceWorkers(): void {
    if (!this.hasPrintedBanner || this.isShuttingDown) return;
    this.replacesAgain = this.replacement !== undefined;
    this.replacement ??= this.replaceAll()
      .catch((error) => this.log.error('replacing the workers failed', { error }))
      .finally(() => {
        this.replacement = undefined;
        if (this.replacesAgain) this.replaceWorkers();
      });
  }

  private async replaceAll(): Promise<void> {
    this.log.info('replacing all workers');
    for (const old of this.activeWorkers) {
      const successor = this.add(old.share);
      if (!(await isReadyInTime(successor))) {
        if (!this.isShuttingDown)
          this.log.error('new worker did not become ready: the old workers keep running', { worker: successor.number });
        return this.retire(successor);
      }
      if (this.isShuttingDown) return;
      this.retire(old);
      await old.ended;
    }
    this.log.info('all workers replaced');
  }

  private retire(member: WorkerHandle): void {
    if (!this.workers.has(member.number) || member.state === 'leaving') return;
    if (member.state === 'starting') member.shutDown('SIGINT');
    else member.send({ gatehouse: 'retire' });
    member.state = 'leaving';
  }

  /** A second signal kills all workers immediately. */
  private shutDown(signal: EndSignal): void {
    if (++this.signals > 1) {
      for (const { worker } of this.workers.values()) worker.process.kill('SIGKILL');
      process.exit(1);
    }
    clearTimeout(this.replacementTimer);
    if (this.workers.size === 0) process.exit(0);
    for (const member of this.workers.values()) member.shutDown(signal);
  }
}

async function isReadyInTime({ started, ready }: WorkerHandle): Promise<boolean> {
  await Promise.race([started, ready]);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), READY_TIMEOUT_MS);
  });
  return Promise.race([ready, late]).finally(() => clearTimeout(timer));
}

/** Makes this process the primary. Resolves once the workers serve requests. */
export const runPrimary = (count: number, log: Log): Promise<void> => new ClusterPrimary(count, log).run();
