import { setTimeout as delay } from 'node:timers/promises';
import { numbersOf } from './judge.mjs';

const LOOK_MS = 400;
const SCRAPE_MS = 2000;
const SILENT_MS = 3000;

/** Checks every replica, as a load balancer and Prometheus do. */
export class Watch {
  looks = [];
  scrapes = [];
  #isOver = false;
  #watching = [];

  constructor(replicas) {
    this.replicas = replicas;
  }

  begin() {
    this.#watching = this.replicas.flatMap((_, replica) => [
      this.#each(LOOK_MS, async () => {
        const at = performance.now();
        this.looks.push({ replica, at, state: await this.state(replica) });
      }),
      this.#each(SCRAPE_MS, async () => this.scrapes.push(await this.scrape(replica))),
    ]);
  }

  async #each(ms, work) {
    while (!this.#isOver) {
      await work();
      await delay(ms);
    }
  }

  #get(replica, path) {
    const headers = { 'x-forwarded-for': '127.0.0.1' };
    return fetch(this.replicas[replica].url + path, { headers, signal: AbortSignal.timeout(SILENT_MS) });
  }

  async state(replica) {
    try {
      const { ok, body } = await this.#get(replica, '/health/ready');
      await body?.cancel();
      return ok ? 'green' : 'red';
    } catch {
      return 'silent';
    }
  }

  async scrape(replica) {
    const at = performance.now();
    try {
      const answer = await this.#get(replica, '/metrics');
      const text = await answer.text();
      if (!answer.ok) throw new Error(`/metrics answered ${answer.status}`);
      return { replica, at, isUp: true, ...numbersOf(text) };
    } catch {
      return { replica, at, isUp: false };
    }
  }

  async end() {
    this.#isOver = true;
    await Promise.all(this.#watching);
  }
}
