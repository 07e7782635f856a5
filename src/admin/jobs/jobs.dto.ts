import { Int, OneOf, Text } from '../../http/input.js';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const CURSOR = /^\d{1,16}\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const EXAMPLE = '6f1c1a52-3c0b-4b7e-9d0a-5f2d7c1e8a90';

export class JobsQuery {
  @OneOf(['failed', 'waiting'], { optional: true }) state?: 'failed' | 'waiting';
  @Int({ min: 1, max: 200, text: true, optional: true }) limit?: number;
  @Text({ min: 1, max: 64, pattern: CURSOR, example: `1764190800000000.${EXAMPLE}`, optional: true }) after?: string;
}

export class JobPath {
  @Text({ min: 36, max: 36, pattern: UUID, example: EXAMPLE }) job_id: string;
}
