import { Text } from '../../http/input.js';

export class LinkSsoInput {
  @Text({ min: 1, max: 255 }) subject: string;
}
