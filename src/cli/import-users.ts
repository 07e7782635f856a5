import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import type { LineRejection } from '../admin/import/imported-user.js';
import { readLines } from '../admin/import/lines.js';
import { type ImportCounts, UserImport } from '../admin/import/user-import.service.js';
import { Clock } from '../core/clock.js';
import { type Command, CommandError, type Terminal, UsageError } from './terminal/command.js';
import { auditConsoleAction, withService } from './terminal/service.js';
import { formatCount, printResult } from './terminal/words.js';

const CHUNK_BYTES = 1024 * 1024;
const PROGRESS_MS = 1000;
/** Maximum number of rejected lines to print if there is no report file. */
const MAX_PRINTED_REJECTIONS = 20;

interface Source {
  readonly path: string;
  readonly size: number;
}

async function findSource(path: string): Promise<Source> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) throw new CommandError(`Cannot read the file ${path}.`);
  return { path, size: found.size };
}

/** Reports rejected lines: to a file, or the first ones to the terminal. */
class Report {
  private printedCount = 0;

  private constructor(
    private readonly terminal: Terminal,
    private readonly file: FileHandle | null,
  ) {}

  static async open(terminal: Terminal, path: string | undefined, source: Source): Promise<Report> {
    if (path === undefined) return new Report(terminal, null);
    const [there, input] = await Promise.all([stat(path).catch(() => null), stat(source.path)]);
    if (there?.ino === input.ino && there.dev === input.dev)
      throw new UsageError('The report would replace the file. Choose another path for --report.');
    const file = await open(path, 'w', 0o600).catch(() => null);
    if (!file) throw new CommandError(`Cannot write the file ${path}.`);
    return new Report(terminal, file);
  }

  async add(refused: readonly LineRejection[]): Promise<void> {
    if (refused.length === 0) return;
    if (this.file) await this.file.write(refused.map((one) => `${JSON.stringify(one)}\n`).join(''));
    else for (const one of refused) this.print(one);
  }

  private print(rejection: LineRejection): void {
    const { line, field, code } = rejection;
    const { isJson, err } = this.terminal;
    if (++this.printedCount <= MAX_PRINTED_REJECTIONS)
      err(isJson ? JSON.stringify({ rejected: rejection }) : `line ${line}: ${field ? `${field}: ` : ''}${code}`);
    if (this.printedCount === MAX_PRINTED_REJECTIONS + 1 && !isJson)
      err('More lines were rejected. To save all of them, use --report <file>.');
  }

  async close(): Promise<void> {
    await this.file?.close();
  }
}

const summarize = ({ imported, present, refused }: ImportCounts, isTrial: boolean): string =>
  `${imported} ${isTrial ? 'can be ' : ''}imported, ${present} already present, ${refused} rejected`;

/** Prints the progress once a second. */
function createProgress(terminal: Terminal, clock: Clock, { size }: Source, isTrial: boolean) {
  const begun = clock.monotonic();
  let printedAt = begun;
  return (tally: Readonly<ImportCounts>, end: number): void => {
    const now = clock.monotonic();
    if (terminal.isJson || now - printedAt < PROGRESS_MS) return;
    printedAt = now;
    const rate = Math.round(tally.lines / ((now - begun) / 1000));
    const share = Math.floor((100 * end) / Math.max(1, size));
    terminal.err(`${tally.lines} lines (${share}%): ${summarize(tally, isTrial)}, ${rate} per second`);
  };
}

/** Records the result of a run, or the last known progress if it was interrupted. */
const recordEnd = (
  app: INestApplicationContext,
  terminal: Terminal,
  { dryRun, tally, isWhole }: { readonly dryRun: boolean; readonly tally: ImportCounts; readonly isWhole: boolean },
): Promise<void> =>
  auditConsoleAction(app, terminal, {
    action: 'import_users',
    target: { type: 'instance' },
    metadata: {
      ...{ dry_run: dryRun, complete: isWhole },
      ...{ user_count: tally.imported, present_count: tally.present, refused_count: tally.refused },
    },
  });

export const importUsers: Command = async (args, terminal) => {
  const options = { 'dry-run': { type: 'boolean' }, report: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new UsageError('Give one file.');
  const source = await findSource(path);
  const dryRun = values['dry-run'] ?? false;
  return withService(terminal, async (app) => {
    const report = await Report.open(terminal, values.report, source);
    const progress = createProgress(terminal, app.get(Clock), source, dryRun);
    let last: ImportCounts = { lines: 0, imported: 0, present: 0, refused: 0 };
    let isWhole = false;
    try {
      // If the run is killed, this entry is the only trace of it.
      if (!dryRun)
        await auditConsoleAction(app, terminal, { action: 'begin_user_import', target: { type: 'instance' } });
      const bytes = createReadStream(source.path, { highWaterMark: CHUNK_BYTES });
      last = await app.get(UserImport).run(readLines(bytes), {
        dryRun,
        onRefused: (refused) => report.add(refused),
        onProgress: (tally, end) => {
          last = { ...tally };
          progress(tally, end);
        },
      });
      isWhole = true;
    } finally {
      await report.close();
      await recordEnd(app, terminal, { dryRun, tally: last, isWhole });
    }
    printResult(terminal, last, [
      `${formatCount(last.lines, 'line')}: ${summarize(last, dryRun)}`,
      ...(last.imported === 0 && !dryRun ? ['Nothing was changed.'] : []),
    ]);
    return last.refused > 0 ? 1 : 0;
  });
};
