import { settings } from '../core/config/declared.js';

/** Deletion of accounts by their owners. */
export class DeletionSettings extends settings('Sign-in', (read) => ({
  deletionGraceHours: read.int(
    'ACCOUNT_DELETION_GRACE_HOURS',
    'Hours between the request of a deletion and the deletion',
    336,
    [1, 8760],
  ),
})) {}
