import { cross } from './crossings.mjs';

/** Number of rounds of each client, in each state of the fleet. */
const ROUNDS = Number(process.env.ROLLING_ROUNDS ?? 5);
/**
 * Number of revoked credentials that are checked on each replica while clients revoke more. At the end, all are
 * checked.
 */
const NEWEST = 200;
const SHOWN = 20;

/** Two replicas behind a load balancer, under traffic. */
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

  /** Stops a replica like an operator does: it leaves the load balancer before it gets the signal. */
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

  /** Runs all rounds of the clients and the checks across replicas, then checks everything that was acknowledged. */
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

  /** Checks on every replica everything that was acknowledged, but only the `newest` revoked credentials. */
  async look(newest) {
    for (const replica of this.replicas) {
      await this.traffic.ledger.holdAt(replica, this.root, newest).catch(({ message }) => this.faults.push(message));
    }
  }

  /** @throws Error with all failures so far */
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

/** Replaces the replicas one after another under traffic: forward, back, and forward again. */
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

/** Upgrades as the guide requires it for some migrations: with downtime and without a rollback. */
async function pauseAndReplace(fleet, newest, migrate) {
  await fleet.traffic.leave();
  for (const replica of [...fleet.replicas]) await fleet.remove(replica);
  await migrate();
  await fleet.add(newest);
  await fleet.add(newest);
  await fleet.traffic.comeBack();
  await fleet.work('after a pause');
}

/** Returns the names of pending migrations, and the reasons why some of them prevent a rollback. */
export function due(migrations, applied) {
  const pending = migrations.filter(({ name }) => !applied.includes(name));
  const breaking = pending.flatMap((Migration) => {
    const { breaksRollback } = new Migration();
    return breaksRollback === undefined ? [] : [`${breaksRollback} (${Migration.name})`];
  });
  return { names: pending.map(({ name }) => name), breaking };
}

/** Upgrades from the running old version to the new one, in the way that the pending migrations allow. */
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
