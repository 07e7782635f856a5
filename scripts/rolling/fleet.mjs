import { cross } from './crossings.mjs';

/** How often everybody does everything in each state of the fleet. */
const ROUNDS = Number(process.env.ROLLING_ROUNDS ?? 5);
/** While clients make new ones, of how many dead credentials each replica is asked; at the end it is of all. */
const NEWEST = 200;
const SHOWN = 20;

/** Two replicas behind a balancer, under traffic. */
export class Fleet {
  faults = [];
  #stopped = [];

  constructor(env, balancer, traffic) {
    this.env = env;
    this.balancer = balancer;
    this.traffic = traffic;
  }

  get replicas() {
    return this.balancer.replicas;
  }

  async add(version) {
    this.replicas.push(await version.start(this.env));
  }

  /** As operators do it: the balancer knows before the signal comes. */
  async remove(replica) {
    await this.balancer.leave(replica);
    await replica.stop();
    this.#stopped.push(replica);
  }

  async replaceOne(version) {
    const leaving = this.replicas.find((replica) => replica.version !== version.name);
    await this.add(version);
    await this.remove(leaving);
  }

  /** Lets everybody do everything, tries what is made at one replica at the other, and looks at what was acknowledged. */
  async work(what) {
    const before = [...this.balancer.handed.values()].reduce((sum, count) => sum + count, 0);
    const [one, other] = this.replicas;
    const rounds = this.traffic.rounds(ROUNDS);
    const crossings = await cross(one, other, this.root);
    await rounds;
    this.faults.push(...crossings.faults);
    await this.look(NEWEST);
    const after = [...this.balancer.handed.values()].reduce((sum, count) => sum + count, 0);
    const versions = this.replicas.map(({ version }) => version).join(' + ');
    console.log(`${what} (${versions}): ${after - before} requests of clients, ${crossings.count} crossings`);
    this.check();
  }

  /** Asks every replica for what was acknowledged: of credentials that are dead, for so many of the newest. */
  async look(newest) {
    for (const replica of this.replicas) {
      await this.traffic.ledger.holdAt(replica, this.root, newest).catch(({ message }) => this.faults.push(message));
    }
  }

  /** @throws Error with whatever went wrong so far */
  check() {
    const complaints = [...this.#stopped, ...this.replicas].flatMap((replica) => replica.complaints);
    const faults = [...this.traffic.faults, ...this.faults, ...complaints];
    if (faults.length === 0) return;
    for (const [n, fault] of faults.entries()) {
      const [, request] = /"request_id":"([^"]+)"/.exec(fault) ?? [];
      const lines = [...this.#stopped, ...this.replicas].flatMap(({ out }) => out.split('\n'));
      const line = request && lines.find((one) => one.includes(request));
      if (line) faults[n] += `\n  ${line}`;
    }
    const more = faults.length > SHOWN ? [`and ${faults.length - SHOWN} more`] : [];
    throw new Error([...faults.slice(0, SHOWN), ...more].join('\n'));
  }
}

/** One after another while clients are at work: forward, back, and forward again. */
async function roll(fleet, oldest, newest) {
  for (const [direction, version] of [
    ['forward', newest],
    ['back', oldest],
    ['forward again', newest],
  ]) {
    await fleet.replaceOne(version);
    await fleet.work(`${direction}, one of two`);
    await fleet.replaceOne(version);
    await fleet.work(`${direction}, both`);
  }
}

/** As the guide has it where a migration says so: with a pause, and without a way back. */
async function pauseAndReplace(fleet, newest, migrate) {
  await fleet.traffic.leave();
  for (const replica of [...fleet.replicas]) await fleet.remove(replica);
  await migrate();
  await fleet.add(newest);
  await fleet.add(newest);
  await fleet.traffic.comeBack();
  await fleet.work('after a pause');
}

/** Of migrations those that are not applied, and of these what they say of the version before. */
export function due(migrations, applied) {
  const pending = migrations.filter(({ name }) => !applied.includes(name));
  const breaking = pending.flatMap((Migration) => {
    const { breaksRollback } = new Migration();
    return breaksRollback === undefined ? [] : [`${breaksRollback} (${Migration.name})`];
  });
  return { names: pending.map(({ name }) => name), breaking };
}

/** From the old version, which serves, to the new one, in the way that the migrations which are due leave. */
export async function upgrade(fleet, oldest, newest, { names, breaking }) {
  const migrate = async () => {
    await newest.migrate(fleet.env);
    console.log(names.length > 0 ? `migrated: ${names.join(', ')}` : 'nothing to migrate');
  };
  if (breaking.length > 0) {
    console.log(`not side by side, and no way back: ${breaking.join('; ')}`);
    return pauseAndReplace(fleet, newest, migrate);
  }
  await migrate();
  await fleet.work('on the new schema');
  await roll(fleet, oldest, newest);
}
