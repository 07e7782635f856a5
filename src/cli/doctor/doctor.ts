import { assertNoArguments } from '../terminal/arguments.js';
import type { Command } from '../terminal/command.js';
import { formatCount, printResult } from '../terminal/words.js';
import { runChecks } from './checks.js';
import type { Finding } from './finding.js';

const MARKS = { ok: 'ok     ', warning: 'warning', fault: 'ERROR  ' } as const;

const linesOf = ({ state, about, detail, fix }: Finding): string[] => [
  `${MARKS[state]}  ${about}: ${detail}`,
  ...(fix ? [`         ${fix}`] : []),
];

export const doctor: Command = async (args, terminal) => {
  assertNoArguments(args);
  const findings = await runChecks(terminal);
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  printResult(terminal, findings, [
    ...findings.flatMap(linesOf),
    `${formatCount(count('fault'), 'error')}, ${formatCount(count('warning'), 'warning')}`,
  ]);
  return count('fault') > 0 ? 1 : 0;
};
