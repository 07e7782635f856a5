/** Injects the faults, one at a time. After each one, everything must recover before the next one. */
import { setTimeout as delay } from 'node:timers/promises';
import { rounds } from './random.mjs';
import { until } from './servers.mjs';

const REST_MS = [3000, 8000];

export class Faults {
  /**
   * Each fault with its name, the replica if it affected only one, and the times of its start, its end and the
   * recovery.
   */
  befell = [];
  current;

  /** @param begin starts an operation by name, because a fault without requests shows nothing */
  constructor({ stage, isWhole, begin }, random) {
    Object.assign(this, { stage, isWhole, begin, random });
  }

  #wait(least, most) {
    return delay(this.random.between(least, most) * 1000);
  }

  kinds = {
    'database restart': async () => {
      await this.stage.pair.primary.stop(this.random.pick(['SIGINT', 'SIGQUIT']));
      this.begin('profile written');
      await this.#wait(3, 8);
      await this.stage.pair.primary.start();
    },
    failover: async () => {
      this.stage.way.cut();
      this.begin('profile written');
      await this.stage.pair.fail();
      await this.#wait(2, 6);
      this.stage.way.lead(this.stage.pair.primary.port);
    },
    'Redis lost': async () => {
      await this.stage.redis.kill();
      await this.#wait(3, 12);
      await this.stage.redis.start();
    },
    'disk full': async () => {
      this.stage.disk.fill();
      this.begin('upload');
      await this.#wait(8, 15);
      this.stage.disk.free();
    },
    'clock stepped': async () => {
      const { child } = this.random.pick(this.stage.replicas);
      const seconds = this.random.between(5, 7200) * this.random.pick([-1, 1]);
      child.send({ aheadMs: Math.round(seconds * 1000) });
      await this.#wait(6, 15);
      child.send({ aheadMs: 0 });
    },
    'mail server dead': async () => {
      const { port } = this.stage.mailbox;
      await this.stage.mailbox.die();
      this.begin('account registered');
      await this.#wait(12, 25);
      await this.stage.mailbox.open(port);
    },
    'replica frozen': async (fault) => {
      const { child } = this.stage.replicas[fault.replica];
      child.kill('SIGSTOP');
      await this.#wait(5, 20);
      child.kill('SIGCONT');
    },
  };

  /** Restores the setup after a fault and waits for the recovery. */
  async #getOver({ name }) {
    if (name === 'failover') await this.stage.pair.addStandby();
    await until(this.isWhole, `an end of what ${name} has left`);
  }

  async inflict(name) {
    const fault = { name, start: performance.now() };
    if (name === 'replica frozen') fault.replica = Math.floor(this.random.between(0, this.stage.replicas.length));
    this.current = fault;
    console.log(`${(fault.start / 1000).toFixed(0)} s: ${name}`);
    await this.kinds[name](fault);
    fault.end = performance.now();
    await this.#getOver(fault);
    fault.whole = performance.now();
    this.befell.push(fault);
    await delay(1000);
    this.current = undefined;
  }

  /** Runs until `isOver`, and until each kind of fault occurred at least once. */
  async run(isOver) {
    const names = Object.keys(this.kinds);
    for (const name of rounds(this.random, names)) {
      if (isOver() && names.every((one) => this.befell.some((fault) => fault.name === one))) return;
      await this.#wait(...REST_MS.map((ms) => ms / 1000));
      await this.inflict(name);
    }
  }
}
