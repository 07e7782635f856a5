import type { Config } from '../../core/config/config.js';
import { Log } from '../../core/log.js';
import { LedgerStorage } from '../../restore/ledger-storage.js';
import { type Finding, fault, ok } from './finding.js';

/** Checks whether the ledger of erasures and bans can be read, and whether a restore is in progress. */
export async function checkRestore(config: Config): Promise<Finding[]> {
  const storage = await LedgerStorage.open(config, new Log({ logLevel: 'silent', logFormat: 'json' }));
  if (!storage) return [];
  try {
    if (!(await storage.isLocked())) return [ok('restore', 'erasures and bans are recorded outside the database')];
    return [fault('restore', 'a restore is in progress, so no replica starts', 'Run: gatehouse restore finish')];
  } catch {
    const fix = 'Check ERASURE_LEDGER_DIR or ERASURE_LEDGER_BUCKET';
    return [fault('restore', 'the ledger of erasures and bans cannot be read', fix)];
  }
}
