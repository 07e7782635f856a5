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
/** A worker that lived as long did not fail at its start. */
const STEADY_MS = 60_000;
/** How long a worker that has started may take to be ready before the old one is kept. Starting has its time: it may migrate. */
const READY_MS = 60_000;

/** How long a place stays empty once workers have ended so many times in a row soon after they were started. */
export const pauseMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));

/** What the primary itself needs of its environment: Node keeps inspectors of processes apart by it. */
const KEPT = new Set(['NODE_OPTIONS']);

/**
 * Empties the environment of this process, and answers what it was given, for workers, as bytes: no report or picture of
 * the heap shows them. What stands in `.env` they read there, so that a new one takes up what has changed.
 */
function takeEnvironment(): Buffer {
  const inFile = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  const given = Object.entries(process.env).filter(([name, value]) => inFile[name] !== value);
  for (const name of Object.keys(process.env)) if (!KEPT.has(name)) delete process.env[name];
  return Buffer.from(JSON.stringify(Object.fromEntries(given)));
}

/** A worker as the primary sees it. */
class Member {
  state: 'starting' | 'serving' | 'leaving' = 'starting';
  readonly startedAt = performance.now();
  /** What it last said of itself. */
  report: Report = [];
  /** Whether it became ready, or ended before. */
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

  /** What does not arrive has nobody left to hear it. */
  order(order: Order): void {
    if (this.worker.isConnected()) this.worker.send(order, () => {});
  }

  /** One that has not started yet takes no orders. */
  end(): void {
    if (this.state === 'starting') this.worker.process.kill('SIGTERM');
    else this.order({ gatehouse: 'end' });
  }
}

/**
 * Starts workers behind one port, and others in place of those that end. It reads no setting but how many there are and how
 * to log, opens nothing and serves nothing.
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

  /** One comes first: it migrates, greets, and what keeps it from starting is told once. */
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

  /** Asks every worker for its metrics, and tells them to the one that wants to know. */
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
    // The first one has said what keeps it from starting, and the others would say it again.
    if (!this.hasGreeted) process.exit(code ?? 1);
    if (state === 'leaving' && (code === 0 || signal === 'SIGTERM'))
      this.log.info('a worker has ended', { worker: number, pid });
    else this.log.error('a worker died', { worker: number, pid, exit_code: code, signal });
    if (state !== 'leaving') this.failed(member);
  }

  /** Another one takes the place of a worker that was not told to leave: later each time, while they do not live long. */
  private failed({ startedAt }: Member): void {
    this.failures = performance.now() - startedAt < STEADY_MS ? this.failures + 1 : 0;
    this.refilling ??= setTimeout(() => {
      this.refilling = undefined;
      while (!this.isEnding && this.present.length < this.count) this.add();
    }, pauseMs(this.failures));
  }

  /** Each worker gets a successor, which is ready before it is told to leave; one after another. */
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

  /** A second signal waits for nobody. */
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

/** Makes this process the one that starts the others; answers once they serve. */
export const lead = (count: number, log: Log): Promise<void> => new Primary(count, log).lead();
