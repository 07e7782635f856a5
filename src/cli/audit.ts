import { parseArgs } from 'node:util';
import { AuditLog } from '../admin/audit/audit.service.js';
import { consoleOperator } from '../admin/audit/operator.js';
import { assertNoArguments, parseCount } from './terminal/arguments.js';
import type { Command } from './terminal/command.js';
import { auditConsoleAction, withService } from './terminal/service.js';
import { formatCount, printResult } from './terminal/words.js';

export const verifyAudit: Command = (args, terminal) => {
  assertNoArguments(args);
  return withService(terminal, async (app) => {
    const verdict = await app.get(AuditLog).verify();
    printResult(terminal, verdict, [
      verdict.intact
        ? `intact: ${formatCount(verdict.entries, 'entry', 'entries')}, head ${verdict.head}`
        : `broken: entry ${verdict.sequence} ${verdict.fault}`,
    ]);
    return verdict.intact ? 0 : 1;
  });
};

type Entry = Awaited<ReturnType<AuditLog['list']>>['logs'][number];

function lineOf(entry: Entry): string {
  const who = entry.admin_user_id === '0' ? 'console' : `${entry.admin_user?.username ?? '?'} (${entry.admin_user_id})`;
  const key = entry.api_key_id === null ? '' : ` by key ${entry.api_key_id}`;
  const reason = entry.audit_log_reason === null ? '' : `  "${entry.audit_log_reason}"`;
  const facts = Object.entries(entry.metadata).map(([name, value]) => `${name}=${value}`);
  const target = `${entry.target_type}${entry.target_id === '0' ? '' : ` ${entry.target_id}`}`;
  return [entry.created_at, `${who}${key}`, entry.action, target, ...facts].join('  ') + reason;
}

export const tailAudit: Command = (args, terminal) => {
  const options = {
    lines: { type: 'string', short: 'n' },
    action: { type: 'string' },
  } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  assertNoArguments(positionals);
  const limit = parseCount('-n', values.lines, 20, [1, 200]);
  const { action } = values;
  return withService(terminal, async (app) => {
    const { logs } = await app
      .get(AuditLog)
      .list(consoleOperator(terminal.reason), { limit, ...(action === undefined ? {} : { action }) });
    await auditConsoleAction(app, terminal, {
      action: 'tail_audit_log',
      target: { type: 'instance' },
      metadata: { entry_count: logs.length },
    });
    const entries = logs.reverse();
    printResult(terminal, entries, entries.map(lineOf));
    return 0;
  });
};
