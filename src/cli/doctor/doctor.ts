import { assertNoArguments } from '../terminal/arguments.js';
import type { Command } from '../terminal/command.js';
import { formatCount } from '../terminal/words.js';
import { runChecks } from './checks.js';
import type { Finding } from './finding.js';

const MARKS = { ok: 'ok     ', warning: 'warning', fault: 'ERROR  ' } as const;

const lineOf = ({ state, about, detail, fix }: Finding): string =>
  `${MARKS[state]}  ${about}: ${detail}${fix ? `\n         ${fix}` : ''}`;

export const doctor: Command = async (args, terminal) => {
  const { out } = terminal;
  assertNoArguments(args);
  const findings = await runChecks(terminal);
  for (const finding of findings) out(lineOf(finding));
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  out(`${formatCount(count('fault'), 'error')}, ${formatCount(count('warning'), 'warning')}`);
  return count('fault') > 0 ? 1 : 0;
};
