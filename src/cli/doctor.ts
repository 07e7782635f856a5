import { findingsOf } from './checks.js';
import { type Command, UsageError } from './command.js';
import type { Finding } from './finding.js';

const MARKS = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' } as const;

const lineOf = ({ state, about, detail, mend }: Finding): string =>
  `${MARKS[state]}  ${about}: ${detail}${mend ? `\n         ${mend}` : ''}`;

export const doctor: Command = async (args, { env, out }) => {
  if (args.length > 0) throw new UsageError(`${args[0]} is not expected`);
  const findings = await findingsOf(env);
  for (const finding of findings) out(lineOf(finding));
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  out(`${count('fault')} faults, ${count('warning')} warnings`);
  return count('fault') > 0 ? 1 : 0;
};
