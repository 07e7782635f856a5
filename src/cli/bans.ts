import { parseArgs } from 'node:util';
import { consoleOperator } from '../admin/audit/operator.js';
import { IpBanEntries } from '../admin/bans/ip-ban-entries.service.js';
import { BanAddressInput, MAX_BAN_HOURS } from '../admin/bans/ip-bans.dto.js';
import { parseNetwork } from '../bans/networks.js';
import { featureRegistry } from '../features.js';
import { validateShape } from '../http/input.js';
import { assertNoArguments, parseCount } from './terminal/arguments.js';
import { type Command, CommandError, UsageError } from './terminal/command.js';
import { auditConsoleAction, withService } from './terminal/service.js';
import { formatCount, printResult } from './terminal/words.js';

const PAGE = 200;

type Entry = Awaited<ReturnType<IpBanEntries['list']>>['items'][number];

/** Reads all entries page by page. */
async function* readAll(entries: IpBanEntries): AsyncGenerator<Entry> {
  for (let after: string | null | undefined; after !== null; ) {
    const page = await entries.list({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    yield* page.items;
    after = page.next_after;
  }
}

/** Prints a JSON array without keeping its items. */
async function printJson(items: AsyncIterable<Entry>, out: (line: string) => void): Promise<void> {
  let previous: string | undefined;
  for await (const item of items) {
    out(previous === undefined ? '[' : `${previous},`);
    previous = JSON.stringify(item, null, 2).replace(/^/gm, '  ');
  }
  out(previous === undefined ? '[]' : `${previous}\n]`);
}

const lineOf = ({ value, kind, reason, expires_at, created_at }: Entry): string =>
  [value, kind, reason, `since ${created_at}`, expires_at === null ? 'permanent' : `until ${expires_at}`].join('  ');

export const listBans: Command = (args, terminal) => {
  assertNoArguments(args);
  return withService(terminal, async (app) => {
    const entries = app.get(IpBanEntries);
    let count = 0;
    for await (const _ of readAll(entries)) count++;
    // Recorded before anything is printed, so that no list is shown without an entry.
    await auditConsoleAction(app, terminal, {
      action: 'list_ip_bans',
      target: { type: 'instance' },
      metadata: { ban_count: count },
    });
    if (terminal.isJson) await printJson(readAll(entries), terminal.out);
    else for await (const ban of readAll(entries)) terminal.out(lineOf(ban));
    if (!terminal.isJson && count === 0) terminal.out('No IP address is banned.');
    return 0;
  });
};

function requireNetwork([value, ...more]: readonly string[]) {
  if (value === undefined || more.length > 0) throw new UsageError('Give one IP address or range.');
  const network = parseNetwork(value);
  if (!network) throw new CommandError(`Invalid IP address or range: ${value}`);
  return { value, network };
}

/** @throws CommandError also for a range that is too large to be banned */
export const addBan: Command = async (args, terminal) => {
  const options = { hours: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const { value, network } = requireNetwork(positionals);
  const hours = parseCount('--hours', values.hours, 0, [1, MAX_BAN_HOURS]);
  const { instance: input, faults } = validateShape(
    BanAddressInput,
    { ip: value, duration_hours: hours },
    featureRegistry(terminal.extension),
  );
  if (faults.length > 0) throw new CommandError(`${network.text} is too large. Ban smaller ranges.`);
  return withService(terminal, async (app) => {
    await app.get(IpBanEntries).ban(consoleOperator(terminal.reason), input);
    printResult(terminal, { value: network.text, duration_hours: hours === 0 ? null : hours }, [
      `${network.text} is banned ${hours === 0 ? 'permanently' : `for ${formatCount(hours, 'hour')}`}.`,
    ]);
    return 0;
  });
};

export const removeBan: Command = (args, terminal) => {
  const { value, network } = requireNetwork(parseArgs({ args, allowPositionals: true }).positionals);
  return withService(terminal, async (app) => {
    const entries = app.get(IpBanEntries);
    if (!(await entries.isBanned(value))) {
      const { entry } = await entries.check(value);
      throw new CommandError(`${network.text} is not banned${entry ? `, but the range ${entry.value} is` : ''}.`);
    }
    await entries.lift(consoleOperator(terminal.reason), value);
    printResult(terminal, { value: network.text }, [`The ban of ${network.text} is removed.`]);
    return 0;
  });
};
