import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { featureRegistry } from '../../src/features.js';
import { ACTIONS, TARGETS } from '../../web/admin/audit/actions.js';

const file = join(import.meta.dirname, '../../web/words/en-US.json');
const words = JSON.parse(readFileSync(file, 'utf8')).adminAudit as Record<string, unknown>;
const namesWith = (prefix: string): string[] =>
  Object.keys(words).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));

describe('web.md 4: the words of the audit log', () => {
  const { auditActions } = featureRegistry();

  test('the console knows every action that the service declares, and has a text for each', () => {
    const actions = [...auditActions.keys()].sort();
    expect(namesWith('did_').sort()).toEqual(actions);
    expect([...ACTIONS].sort()).toEqual(actions);
  });

  test('the console knows every type of target, and has a text for each', () => {
    const targets = [...new Set(auditActions.values())].sort();
    expect(namesWith('kind_').sort()).toEqual(targets);
    expect([...TARGETS].sort()).toEqual(targets);
  });
});
