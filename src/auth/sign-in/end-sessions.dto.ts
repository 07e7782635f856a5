import { isText } from '../../core/text/text.js';
import { ListOf } from '../../http/input.js';
import { SudoInput } from '../sudo/sudo.dto.js';

export class EndSessionsInput extends SudoInput {
  @ListOf({ max: 100, bound: 256, items: { type: 'string', maxLength: 256 } }, (hash) =>
    isText(hash) ? undefined : 'INVALID_FORMAT',
  )
  session_id_hashes: string[];
}
