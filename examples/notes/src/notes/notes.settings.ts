import { settings } from '@gatehouse-auth/server';

export class NotesSettings extends settings('Notes', (read) => ({
  perAccount: read.int('NOTES_PER_ACCOUNT', 'Notes that an account may have', 100, [1, 10_000]),
})) {}
