import cluster, { type Worker } from 'node:cluster';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Log } from './log.js';
import { type Order, PLACE, type Place, type Report, type Word } from './workers/messages.js';
import { Departed, Round } from './workers/reports.js';

const THREADS = join(import.meta.dirname, 'thread-pool.cjs');
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that ran this long did not fail during startup. */
const STEADY_MS = 60_000;
/**
 * How long a started worker may take to become ready before the old worker is kept. The start itself has no limit,
 * because it may run migrations.
 */
const READY_MS = 60_000;

/** Restart back-off after consecutive early exits. */
export const pauseMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));

/** Variables that the primary itself needs: Node uses them to assign inspector ports. */
const KEPT = new Set(['NODE_OPTIONS']);

/**
 * Empties the environment of this process and returns it for the workers. It is stored as bytes, so that diagnostic
 * reports and heap snapshots do not show it. Variables from `.env` are left out, because workers read that file, so a
 * new worker picks up changes.
 */
function takeEnvironment(): Buffer {
  const inFile = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  const given = Object.entries(process.env).filter(([name, value]) => inFile[name] !== value);
  for (const name of Object.keys(process.env)) if (!KEPT.has(name)) delete process.env[name];
  return Buffer.from(JSON.stringify(Object.fromEntries(given)));
}

/** A worker in the primary. */
class Member {
  state: 'starting' | 'serving' | 'leaving' = 'starting';
  readonly startedAt = performance.now();
  /** Its last metrics report. */
  report: Report = [];
  /** Resolves with whether the worker became ready before it exited. */
  readonly ready: Promise<boolean>;
  readonly started: Promise<void>;
  readonly ended: Promise<void>;
  private markReady: (isReady: boolean) => void = () => {};
  private markStarted: () => void = () => {};

  constructor(
    readonly number: number,
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

  heard(word: 'started' | 'ready' | 'leaving'): void {
    if (word === 'ready') this.markReady(true);
    else if (word === 'leaving') this.state = 'leaving';
    else {
      this.state = 'serving';
      this.markStarted();
    }
  }

  /** An order that cannot be delivered needs no handling, because the worker has exited. */
  order(order: Order): void {
    if (this.worker.isConnected()) this.worker.send(order, () => {});
  }

  /** A starting worker does not accept orders yet, so it gets a signal. */
  end(): void {
    if (this.state === 'starting') this.worker.process.kill('SIGTERM');
    else this.order({ gatehouse: 'end' });
  }
}

/**
 * Starts workers behind one port and replaces those that exit. It reads only the number of workers and the log
 * settings, opens nothing and serves nothing.
 */
class Primary {
  private readonly members = new Map<number, Member>();
  private readonly departed = new Departed();
  private readonly rounds = new Set<Round>();
  private readonly environment = takeEnvironment();
  private failures = 0;
  private refilling: NodeJS.Timeout | undefined;
  private hasGreeted = false;
  private signals = 0;
  private exitCode = 0;
  private rolling: Promise<void> | undefined;
  private rollsAgain = false;
  private round = 0;

  constructor(
    private readonly count: number,
    private readonly log: Log,
  ) {
    cluster.setupPrimary({ execArgv: [...process.execArgv, '-r', THREADS] });
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.end());
    process.on('SIGHUP', () => this.roll());
  }

  /**
   * Start one worker first: it runs migrations and prints the banner. If it cannot start, the error is printed only
   * once.
   */
  async lead(): Promise<void> {
    await this.add().started;
    this.hasGreeted = true;
    if (this.isEnding) return;
    const others = Array.from({ length: this.count - 1 }, () => this.add());
    const started = await Promise.all(others.map(({ started, ended }) => Promise.race([started, ended])));
    this.log.info('workers have started', { count: started.length + 1 });
  }

  private get isEnding(): boolean {
    return this.signals > 0;
  }

  private get present(): Member[] {
    return [...this.members.values()].filter(({ state }) => state !== 'leaving');
  }

  private add(): Member {
    let number = 1;
    while (this.members.has(number)) number++;
    const place: Place = { number, greets: !this.hasGreeted };
    const worker = cluster.fork({ ...JSON.parse(this.environment.toString()), [PLACE]: JSON.stringify(place) });
    const member = new Member(number, worker);
    this.members.set(number, member);
    worker.on('message', (word: Word) => this.heard(member, word));
    worker.on('error', (error) => this.log.warn('a worker does not hear', { worker: number, error }));
    worker.once('exit', (code, signal) => this.left(member, code, signal));
    return member;
  }

  private heard(member: Member, word: Word): void {
    if (word.gatehouse === 'gather') this.gather(member, word.id);
    else if (word.gatehouse === 'report') {
      member.report = word.report;
      for (const round of this.rounds) round.heard(member.number);
    } else if (typeof word.gatehouse === 'string') {
      member.heard(word.gatehouse);
      if (word.gatehouse === 'leaving') this.failed(member);
    }
  }

  /** Collects the metrics of all workers for the worker that asked. */
  private gather(asking: Member, id: number): void {
    const serving = [...this.members.values()].filter(({ state }) => state !== 'starting');
    const round = new Round(new Set(serving.map(({ number }) => number)), () => {
      this.rounds.delete(round);
      const reports = [...[...this.members.values()].map(({ report }) => report), this.departed.report];
      asking.order({ gatehouse: 'gathered', id, reports });
    });
    this.rounds.add(round);
    this.round++;
    for (const member of serving) member.order({ gatehouse: 'report', id: this.round });
  }

  private left(member: Member, code: number | null, signal: string | null): void {
    const { number, pid, state } = member;
    this.members.delete(number);
    this.departed.add(member.report);
    for (const round of this.rounds) round.heard(number);
    if (this.isEnding) {
      this.exitCode ||= code ?? 1;
      if (this.members.size === 0) process.exit(this.exitCode);
      return;
    }
    // The first worker has printed the startup error, and other workers would repeat it.
    if (!this.hasGreeted) process.exit(code ?? 1);
    if (state === 'leaving' && (code === 0 || signal === 'SIGTERM'))
      this.log.info('a worker has ended', { worker: number, pid });
    else this.log.error('a worker died', { worker: number, pid, exit_code: code, signal });
    if (state !== 'leaving') this.failed(member);
  }

  /** Replaces a worker that exited without an order. The delay grows while workers exit early. */
  private failed({ startedAt }: Member): void {
    this.failures = performance.now() - startedAt < STEADY_MS ? this.failures + 1 : 0;
    this.refilling ??= setTimeout(() => {
      this.refilling = undefined;
      while (!this.isEnding && this.present.length < this.count) this.add();
    }, pauseMs(this.failures));
  }

  /** Replaces workers one at a time. Each successor is ready before the old worker stops. */
  private roll(): void {
    if (!this.hasGreeted || this.isEnding) return;
    this.rollsAgain = this.rolling !== undefined;
    this.rolling ??= this.replaceAll()
      .catch((error) => this.log.error('the workers could not be replaced', { error }))
      .finally(() => {
        this.rolling = undefined;
        if (this.rollsAgain) this.roll();
      });
  }

  private async replaceAll(): Promise<void> {
    this.log.info('every worker is replaced');
    for (const old of this.present) {
      const successor = this.add();
      if (!(await readyInTime(successor))) {
        if (!this.isEnding) this.log.error('a new worker is not ready: the others stay', { worker: successor.number });
        return this.retire(successor);
      }
      if (this.isEnding) return;
      this.retire(old);
      await old.ended;
    }
    this.log.info('every worker was replaced');
  }

  private retire(member: Member): void {
    if (!this.members.has(member.number) || member.state === 'leaving') return;
    if (member.state === 'starting') member.end();
    else member.order({ gatehouse: 'retire' });
    member.state = 'leaving';
  }

  /** A second signal kills all workers immediately. */
  private end(): void {
    if (++this.signals > 1) {
      for (const { worker } of this.members.values()) worker.process.kill('SIGKILL');
      process.exit(1);
    }
    clearTimeout(this.refilling);
    if (this.members.size === 0) process.exit(0);
    for (const member of this.members.values()) member.end();
  }
}

async function readyInTime({ started, ready }: Member): Promise<boolean> {
  await Promise.race([started, ready]);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), READY_MS);
  });
  return Promise.race([ready, late]).finally(() => clearTimeout(timer));
}

/** Makes this process the primary. Resolves once the workers serve requests. */
export const lead = (count: number, log: Log): Promise<void> => new Primary(count, log).lead();
