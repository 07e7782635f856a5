import { text } from 'node:stream/consumers';
import { AccountExport } from '../../src/accounts/account-export.service.js';
import { readFileBytes } from '../../src/platform/storage/spool.js';
import { sweep } from './cleanup.js';
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

/** Erases an account, as the deadline of its deletion does. All its data is removed. */
export async function eraseAccount(service: Gatehouse, { id }: { id: string }): Promise<void> {
  await service.sql('UPDATE account SET deletion_at = now() WHERE id = $1', [id]);
  await sweep(service);
}
