import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../core/config/config.js';
import { findAccessibleToOthers } from '../../platform/database/owner-only.js';
import { type Finding, fault, ok } from './finding.js';

/** Checks whether other users of the machine can access the embedded database or files next to it. */
export function checkDirectoryPrivacy({ dataDir, databaseUrl }: Config): Finding[] {
  if (databaseUrl || !existsSync(join(dataDir, 'database'))) return [];
  const [first, ...more] = findAccessibleToOthers(dataDir);
  if (first === undefined) return [ok('DATA_DIR', 'other users cannot read or write it')];
  const detail = `other users can access ${first}${more.length > 0 ? ` and ${more.length} more` : ''}`;
  return [fault('DATA_DIR', detail, `Run: chmod -R go= ${dataDir} (the next start also does this)`)];
}
