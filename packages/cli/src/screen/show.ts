import type { Verdict } from '@weir/policy';
import { plain, table } from '../output.ts';
import type { Style } from '../style.ts';
import type { Answer } from './ask.ts';
import { type Question, subjectOf } from './question.ts';
import { exposuresOf } from './verdict.ts';

export function textOf(question: Question, answer: Answer, verdict: Verdict, style: Style): string {
  const { result } = answer;
  const lines = [
    style.bold(`${question.coin} ${subjectOf(question)}`),
    ['asked as', question.address === null ? `transaction, ${question.direction} side` : `address of a ${question.kind}`],
    ['outcome', `${answer.outcome}${answer.said === '' ? '' : ` (${plain(answer.said)})`}`],
    ...(answer.outcome === 'SCORED' && result !== null ? [['level', `${result.risk_level}, score ${result.score}`]] : []),
    ...(result?.address_label ? [['label', plain(result.address_label)]] : []),
    ...(result?.hacking_event ? [['event', plain(result.hacking_event)]] : []),
    ...(result?.detail_list.length ? [['details', plain(result.detail_list.join('; '))]] : []),
    ['policy', `${style.action(verdict.action).trimEnd()} as a ${question.kind}: ${verdict.reason_codes.join(', ')}`],
    ['rule', verdict.rule],
  ].map((line) => (typeof line === 'string' ? line : `  ${(line[0] ?? '').padEnd(9)} ${line[1]}`));
  return `${lines.join('\n')}\n${exposuresText(answer, style)}`;
}

function exposuresText(answer: Answer, style: Style): string {
  const exposures = exposuresOf(answer);
  if (exposures.length === 0) return answer.result === null ? '' : '  no exposure\n';
  const rows = exposures.map((exposure) => [
    `  ${plain(exposure.risk_type)}`,
    exposure.exposure_type,
    String(exposure.hop_num),
    exposure.percent === null ? '-' : `${Number(exposure.percent.toFixed(4))} %`,
    // The risk API writes 0 where no value is known.
    exposure.volume_usd === null || exposure.volume_usd === 0 ? 'unknown' : `${Number(exposure.volume_usd.toFixed(2))} USD`,
    plain(exposure.entity),
  ]);
  const [head = '', ...rest] = table(['  EXPOSURE', 'HOW', 'HOPS', 'SHARE', 'VOLUME', 'ENTITY'], rows).split('\n');
  return `${style.dim(head)}\n${rest.join('\n')}`;
}
