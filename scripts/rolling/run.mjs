import { randomBytes } from 'node:crypto';
import 'reflect-metadata';
import pg from 'pg';
import { dataSourceOptions } from '../../dist/ormconfig.js';
import { Balancer } from './balancer.mjs';
import { cross } from './crossings.mjs';
import { GatewaySession } from './gateway-session.mjs';
import { register } from './people.mjs';
import { Traffic } from './traffic.mjs';

/** How often everybody does everything in each state of the fleet. */
const ROUNDS = Number(process.env.ROLLING_ROUNDS ?? 5);
/** While clients make new ones, of how many dead credentials each replica is asked; at the end it is of all. */
const NEWEST = 200;
const SHOWN = 20;

async function query(url, text, values) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** What the newest version would apply, and of that why the version before could not run on it. */
async function pending(url) {
  const applied = new Set((await query(url, 'SELECT name FROM migration')).map(({ name }) => name));
  const due = dataSourceOptions(undefined, 1).migrations.filter(({ name }) => !applied.has(name));
  const breaking = due.flatMap((Migration) => new Migration().breaksRollback ?? []);
  return { names: due.map(({ name }) => name), breaking };
}

/** Two replicas behind a balancer, under traffic. */
class Fleet {
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
async function pauseAndReplace(fleet, newest, migrated) {
  const { traffic, replicas, balancer } = fleet;
  await traffic.pause();
  traffic.cast.session.close();
  for (const replica of [...replicas]) await fleet.remove(replica);
  await migrated();
  await fleet.add(newest);
  await fleet.add(newest);
  traffic.cast.session = await GatewaySession.started(balancer, traffic.cast.dora.token);
  traffic.go();
  await fleet.work('after a pause');
}

/** @param servers addresses of a database and of a Redis, both empty, and a folder. @throws Error with what failed */
export async function run(oldest, newest, { databaseUrl, redisUrl, folder }) {
  const env = {
    PATH: process.env.PATH,
    ...(process.env.HTTP_PLATFORM && { HTTP_PLATFORM: process.env.HTTP_PLATFORM }),
    ...{ LOG_LEVEL: 'info', LOG_FORMAT: 'json', DATA_DIR: folder },
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, PUBLIC_ORIGIN: 'http://localhost:8080' },
    GATEHOUSE_SECRET: randomBytes(32).toString('base64'),
    ...{ RATE_LIMITS: 'off', LOGIN_ALLOWANCES: 'off', REGISTRATION_ALLOWANCES: 'off', ABUSE_BANS: 'off' },
    // What takes its time on purpose is none of this.
    ...{ NODE_ENV: 'test', ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1' },
    // A machine that is busy with something else is no reason to refuse.
    MAX_LOOP_DELAY_MS: '0',
  };
  const balancer = await Balancer.start();
  const traffic = new Traffic(balancer);
  const fleet = new Fleet(env, balancer, traffic);
  await fleet.add(oldest);
  await fleet.add(oldest);
  fleet.root = await register(balancer, 'root');
  await query(databaseUrl, `UPDATE account SET acls = '{*}' WHERE id = $1`, [fleet.root.id]);
  await traffic.begin();
  await fleet.work('before');
  const { names, breaking } = await pending(databaseUrl);
  const migrated = async () => {
    await newest.migrate(env);
    console.log(names.length > 0 ? `migrated: ${names.join(', ')}` : 'nothing to migrate');
  };
  if (breaking.length > 0) {
    console.log(`not side by side, and no way back: ${breaking.join('; ')}`);
    await pauseAndReplace(fleet, newest, migrated);
  } else {
    await migrated();
    await fleet.work('on the new schema');
    await roll(fleet, oldest, newest);
  }
  await traffic.pause();
  await fleet.look();
  traffic.cast.session.close();
  for (const replica of [...fleet.replicas]) await fleet.remove(replica);
  fleet.check();
  const { revocations, changes } = traffic.ledger.size;
  const handed = [...balancer.handed].map(([version, count]) => `${count} by ${version} replicas`).join(', ');
  console.log(`requests of clients answered: ${handed}; none failed`);
  console.log(`${revocations} revocations hold and ${changes} changes are kept at every replica`);
  balancer.close();
}
