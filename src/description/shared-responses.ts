import { hash } from 'node:crypto';
import type { FeatureRegistry } from '../policy/feature-registry.js';
import type { Schema } from './api-metadata.js';

/** Maximum number of codes in a response name. */
const MAX_NAMED_CODES = 3;

/** Shares identical responses of many operations, which would otherwise make up most of the document. */
export class SharedResponses {
  readonly components: Record<string, Schema> = {};

  constructor(readonly features: FeatureRegistry) {}

  /**
   * Returns a reference to the response with these error codes.
   * @param variant distinguishes responses whose headers or content differ
   */
  share(status: string, codes: readonly string[], variant: string, response: Schema): Schema {
    const words = codes.length <= MAX_NAMED_CODES ? codes : [hash('sha256', codes.join(), 'hex').slice(0, 8)];
    const name = [status, ...words, ...(variant ? [variant] : [])].join('.');
    this.components[name] = response;
    return { $ref: `#/components/responses/${name}` };
  }
}
