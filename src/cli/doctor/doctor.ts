import { demandNothing } from '../terminal/arguments.js';
import type { Command } from '../terminal/command.js';
import { counted } from '../terminal/words.js';
import { findingsOf } from './checks.js';
import type { Finding } from './finding.js';

const MARKS = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' } as const;

const lineOf = ({ state, about, detail, mend }: Finding): string =>
  `${MARKS[state]}  ${about}: ${detail}${mend ? `\n         ${mend}` : ''}`;

export const doctor: Command = async (args, terminal) => {
  const { out } = terminal;
  demandNothing(args);
  const findings = await findingsOf(terminal);
  for (const finding of findings) out(lineOf(finding));
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  out(`${counted(count('fault'), 'fault')}, ${counted(count('warning'), 'warning')}`);
  return count('fault') > 0 ? 1 : 0;
};
