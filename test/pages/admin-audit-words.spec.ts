import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { featureRegistry } from '../../src/features.js';

const file = join(import.meta.dirname, '../../web/words/en-US.json');
const words = JSON.parse(readFileSync(file, 'utf8')).adminAudit as Record<string, unknown>;
const namesWith = (prefix: string): string[] =>
  Object.keys(words).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));

describe('web.md 4: the texts of the audit log', () => {
  const { auditActions } = featureRegistry();

  test('the console has a text for every action that the service declares', () => {
    const actions = [...auditActions.keys()].sort();
    expect(namesWith('did_').sort()).toEqual(actions);
  });

  test('the console has a text for every type of target', () => {
    const targets = [...new Set(auditActions.values())].sort();
    expect(namesWith('kind_').sort()).toEqual(targets);
  });
});
