import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../core/config/config.js';
import { HealthChecks } from '../../platform/process/health-checks.js';
import type { Terminal } from '../terminal/command.js';
import { withService } from '../terminal/service.js';
import { type Finding, fault, ok } from './finding.js';

/** Makes the health checks that an extension declares. The built-in ones are part of the other findings. */
export async function checkHealth(config: Config, terminal: Terminal): Promise<Finding[]> {
  const { env, embeddedDatabase, extension } = terminal;
  const declared = (extension?.features ?? []).flatMap(({ healthChecks = {} }) => Object.entries(healthChecks));
  const used = declared.filter(([, { isUsed }]) => isUsed?.(config) ?? true);
  // Assembling the service would create them.
  const isMissing = (setting: string | undefined, file: string) => !setting && !existsSync(join(config.dataDir, file));
  if (isMissing(env.GATEHOUSE_SECRET, 'secret')) return [];
  if (!embeddedDatabase && isMissing(config.databaseUrl, 'database')) return [];
  if (used.length === 0) return [];
  try {
    const failing = await withService(terminal, async (app) => app.get(HealthChecks).failing);
    return used.map(([name, { cause }]) =>
      failing.includes(name)
        ? fault(name, 'the health check fails', `Check ${cause}`)
        : ok(name, 'the health check passes'),
    );
  } catch (error) {
    return [fault('health checks', (error as Error).message, 'Fix the error, then run this command again')];
  }
}
