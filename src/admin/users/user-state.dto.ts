import { Int, Text } from '../../http/input.js';

const REASON = { max: 512, optional: true, nullable: true } as const;

export class BanInput {
  @Int({ min: 0, max: 8760 }) duration_hours: number;
  @Text(REASON) reason?: string | null;
}

export class DeletionInput {
  @Int({ min: 1, max: 5 }) reason_code: number;
  @Text(REASON) public_reason?: string | null;
  @Int({ min: 1, max: 365, optional: true }) days_until_deletion?: number;
}
