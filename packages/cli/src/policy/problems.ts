import type { PolicyProblem } from '@weir/policy';
import { plain } from '../output.ts';

/** One problem in compiler style: the position, the line, a mark below it, and a hint. */
export function problemText(file: string, text: string, problem: PolicyProblem): string {
  const line = plain((text.split('\n')[problem.line - 1] ?? '').trimEnd());
  const number = String(problem.line).padStart(5);
  const lines = [
    `${file}:${problem.line}:${problem.column}: ${problem.path}: ${problem.message}`,
    `${number} | ${line}`,
    `      | ${' '.repeat(problem.column - 1)}${'^'.repeat(Math.max(1, Math.min(problem.length, line.length - problem.column + 1)))}`,
  ];
  return [...lines, ...(problem.hint === undefined ? [] : [`      = ${problem.hint}`])].join('\n');
}
