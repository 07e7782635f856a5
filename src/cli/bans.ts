import { parseArgs } from 'node:util';
import { consoleOperator } from '../admin/audit/operator.js';
import { IpBanEntries } from '../admin/bans/ip-ban-entries.service.js';
import { parseNetwork } from '../bans/networks.js';
import { assertNoArguments } from './terminal/arguments.js';
import { type Command, CommandError, UsageError } from './terminal/command.js';
import { auditConsoleAction, withService } from './terminal/service.js';

const PAGE = 200;

type Entry = Awaited<ReturnType<IpBanEntries['list']>>['items'][number];

async function allOf(entries: IpBanEntries): Promise<Entry[]> {
  const all: Entry[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await entries.list({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    all.push(...page.items);
    after = page.next_after;
  }
  return all;
}

const lineOf = ({ value, kind, reason, expires_at, created_at }: Entry): string =>
  [value, kind, reason, `since ${created_at}`, expires_at === null ? 'without end' : `until ${expires_at}`].join('  ');

export const listBans: Command = (args, terminal) => {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { json: { type: 'boolean' } } });
  assertNoArguments(positionals);
  return withService(terminal, async (app) => {
    const bans = await allOf(app.get(IpBanEntries));
    await auditConsoleAction(app, {
      action: 'list_ip_bans',
      target: { type: 'instance' },
      metadata: { ban_count: bans.length },
    });
    if (values.json) terminal.out(JSON.stringify(bans, null, 2));
    else for (const ban of bans) terminal.out(lineOf(ban));
    if (!values.json && bans.length === 0) terminal.out('nobody is banned');
    return 0;
  });
};

export const removeBan: Command = (args, terminal) => {
  const [value, ...more] = parseArgs({ args, allowPositionals: true }).positionals;
  if (value === undefined || more.length > 0) throw new UsageError('one address or range is needed');
  const network = parseNetwork(value);
  if (!network) throw new CommandError(`${value} is no address and no range`);
  return withService(terminal, async (app) => {
    const entries = app.get(IpBanEntries);
    if (!(await entries.isBanned(value))) {
      const { entry } = await entries.check(value);
      throw new CommandError(`${network.text} is not banned${entry ? ` by itself: ${entry.value} is` : ''}`);
    }
    await entries.lift(consoleOperator(), value);
    terminal.out(`${network.text} is not banned any more`);
    return 0;
  });
};
