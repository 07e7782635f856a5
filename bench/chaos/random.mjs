/** Pseudo-random numbers from a seed, the same each time (mulberry32). */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(least, most) {
    return least + this.next() * (most - least);
  }

  pick(list) {
    return list[Math.floor(this.next() * list.length)];
  }

  shuffled(list) {
    const rest = [...list];
    const taken = [];
    while (rest.length > 0) taken.push(...rest.splice(Math.floor(this.next() * rest.length), 1));
    return taken;
  }
}

/** Repeats the list without end. Each round contains every item once, in random order. */
export function* rounds(random, list) {
  for (;;) yield* random.shuffled(list);
}
