import { formatCount } from './words.js';

test.each([
  [0, 'fault', undefined, '0 faults'],
  [1, 'fault', undefined, '1 fault'],
  [2, 'fault', undefined, '2 faults'],
  [1, 'entry', 'entries', '1 entry'],
  [2, 'entry', 'entries', '2 entries'],
])('%i %s', (count, noun, plural, expected) => expect(formatCount(count, noun, plural)).toBe(expected));
