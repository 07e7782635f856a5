import { featureRegistry } from '../../features.js';
import { validateShape } from '../../http/input.js';
import { EditAdminKeyInput } from './admin-keys.dto.js';

describe('admin.md 2.1: a list of ACLs', () => {
  const faultsOf = (acls: unknown, ...registry: [ReturnType<typeof featureRegistry>?]) =>
    validateShape(EditAdminKeyInput, { acls }, ...registry).faults.map(({ path }) => path);

  test('contains registered ACLs only', () => {
    expect(faultsOf(['*', 'user:lookup'], featureRegistry())).toEqual([]);
    expect(faultsOf(['user:lookup', 'user:fly', 'a b', 1], featureRegistry())).toEqual(['acls.1', 'acls.2', 'acls.3']);
  });

  test('is invalid if there is no registry', () => {
    expect(faultsOf(['user:lookup'])).toEqual(['acls.0']);
  });
});
