import { hash } from 'node:crypto';
import type { Schema } from './described.js';

/** Codes that a name may list. */
const MOST_NAMED = 3;

/** Answers that many operations give alike, kept once: most of the description would be repetition. */
export class SharedResponses {
  readonly components: Record<string, Schema> = {};

  /** A reference to the refusal with some codes; `variant` tells apart what differs in its headers. */
  share(status: string, codes: readonly string[], variant: string, response: Schema): Schema {
    const words = codes.length <= MOST_NAMED ? codes : [hash('sha256', codes.join(), 'hex').slice(0, 8)];
    const name = [status, ...words, ...(variant ? [variant] : [])].join('.');
    this.components[name] = response;
    return { $ref: `#/components/responses/${name}` };
  }
}
