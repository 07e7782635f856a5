import { AccountLife } from './account-life.js';
import { AddressLife } from './address-life.js';
import { AdminLife } from './admin-life.js';
import { FactorLife } from './factor-life.js';
import { GatewayLife } from './gateway-life.js';
import type { Life, LifeContext } from './life.js';
import { pause } from './pause.js';
import type { Random } from './random.js';
import { now } from './recorder.js';
import { SsoLife } from './sso-life.js';
import { TokenLife } from './token-life.js';

const CLIENTS = 4;
const LIVES = 9;

type Kind = new (surroundings: LifeContext, random: Random) => Life;

/** Cumulative shares of the kinds of lives. */
const KINDS: readonly (readonly [Kind, number])[] = [
  [AccountLife, 0.35],
  [TokenLife, 0.55],
  [FactorLife, 0.67],
  [GatewayLife, 0.78],
  [SsoLife, 0.88],
  [AdminLife, 0.97],
  [AddressLife, 1],
];

/** Clients that present all credentials without pause, while lives create and revoke them. */
export class Workload {
  constructor(
    private readonly surroundings: LifeContext,
    private readonly random: Random,
  ) {}

  async run(): Promise<void> {
    const clients = Array.from({ length: CLIENTS }, () => this.client(this.random.fork()));
    const lives = Array.from({ length: LIVES }, (_, lane) => this.lives(this.random.fork(), lane));
    await Promise.all([...clients, ...lives, this.rotations()]);
  }

  /** Rotates the signing keys until the end. */
  private async rotations(): Promise<void> {
    const { cluster, recorder, isOver, rotationMs } = this.surroundings;
    while (!isOver()) {
      const next = now() + rotationMs;
      while (now() < next && !isOver()) await pause(50);
      await recorder.rotateKeys(cluster);
    }
  }

  private async client(random: Random): Promise<void> {
    const { cluster, recorder, pool } = this.surroundings;
    while (!this.surroundings.isOver()) {
      const presented = pool.pick(random);
      if (!presented) {
        await pause(20);
        continue;
      }
      const replica = random.pick(cluster.replicas);
      const { credential, gatewayToken, authorization } = presented;
      if (authorization && random.chance(0.5)) {
        if ((await recorder.useAt(random.pick(cluster.services), presented)) === 'unknown') await pause(20);
        continue;
      }
      if (gatewayToken && random.chance(0.05)) await recorder.identify(replica, credential, gatewayToken);
      else if ((await recorder.use(replica, presented)).outcome === 'unknown') await pause(20);
    }
  }

  /** Each lane begins with a different kind of life, so that most kinds are present from the start. */
  private async lives(random: Random, lane: number): Promise<void> {
    let [Kind] = KINDS[lane % KINDS.length] as (typeof KINDS)[number];
    while (!this.surroundings.isOver()) {
      await new Kind(this.surroundings, random.fork()).live();
      const share = random.next();
      [Kind] = KINDS.find(([, upTo]) => share < upTo) as (typeof KINDS)[number];
    }
  }

  /** After recovery, presents current and former credentials to every replica. */
  async recheckRevoked(): Promise<void> {
    const { cluster, recorder, pool } = this.surroundings;
    for (const presented of pool.all()) {
      await Promise.all(cluster.replicas.map((replica) => recorder.use(replica, presented)));
      if (presented.authorization)
        await Promise.all(cluster.services.map((service) => recorder.useAt(service, presented)));
    }
  }
}

/** Returns a function that is true after this many seconds. */
export function over(seconds: number): () => boolean {
  const end = now() + seconds * 1000;
  return () => now() >= end;
}
