import { text } from 'node:stream/consumers';
import { AccountExport } from '../../src/accounts/account-export.service.js';
import { readFileBytes } from '../../src/platform/storage/spool.js';
import { runCleanup } from './cleanup.js';
import type { Gatehouse } from './gatehouse.js';

/** Everything that is stored about an account, as `gatehouse user export` writes it. */
export async function exportAccount(service: Gatehouse, { id }: { id: string }): Promise<Record<string, unknown>> {
  const { file } = await service.app.get(AccountExport).write(id, 'operator');
  try {
    return JSON.parse(await text(readFileBytes(file)));
  } finally {
    await file.close();
  }
}

/**
 * Erases an account, as the deadline of its deletion does. All its data is removed.
 * @throws Error with the lines of the log if the erasure failed
 */
export async function eraseAccount(service: Gatehouse, { id }: { id: string }): Promise<void> {
  const before = service.log.length;
  await service.sql('UPDATE account SET deletion_at = now() WHERE id = $1', [id]);
  await runCleanup(service);
  const left = await service.sql('SELECT 1 FROM account WHERE id = $1 AND deleted_at IS NULL', [id]);
  if (left.length > 0)
    throw new Error(`The erasure of the account ${id} failed:\n${service.log.slice(before).join('\n')}`);
}
