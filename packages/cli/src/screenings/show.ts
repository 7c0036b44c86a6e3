import type { ScreeningView } from '@weir/console';
import { readOne, withConsole } from '../console.ts';
import type { PlaceFlags } from '../flags.ts';
import { plain, print, printJson, table } from '../output.ts';
import { head, rowOf } from './list.ts';

/** One screening, with its exposures and every decision. */
export async function showScreening(id: string, flags: PlaceFlags & { json?: true }): Promise<void> {
  await withConsole(flags, async (client) => {
    const screening = await readOne<ScreeningView>(client, `/v1/screenings/${encodeURIComponent(id)}`);
    return flags.json ? printJson(screening) : print(textOf(screening));
  });
}

function textOf(screening: ScreeningView): string {
  const { transfer, subject, result, decisions } = screening;
  const facts = [
    ...Object.entries(transfer).map(([name, value]) => [name, value ?? 'unknown']),
    ['subject', subject ?? 'unknown'],
    ...(result === null
      ? [['result', 'none yet']]
      : [
          ['outcome', result.outcome],
          ['score', result.score === undefined ? 'none' : `${result.score} ${result.risk_level ?? ''}`],
          ['provider', result.provider],
        ]),
  ];
  return [
    table(head, [rowOf(screening)]),
    ...facts.map(([name = '', value = '']) => `  ${name.padEnd(14)}${plain(value)}\n`),
    ...exposures(screening),
    `\n${decisionTable(decisions)}`,
  ].join('');
}

function exposures({ result }: ScreeningView): string[] {
  if (result === null || result.risk_detail.length === 0) return [];
  const rows = result.risk_detail.map(({ entity, risk_type, exposure_type, hop_num, volume, percent }) => [
    plain(entity),
    plain(risk_type),
    exposure_type,
    String(hop_num),
    volume === null ? 'unknown' : String(volume),
    percent === null ? 'unknown' : `${percent} %`,
  ]);
  return [`\n${table(['ENTITY', 'TYPE', 'EXPOSURE', 'HOPS', 'USD', 'SHARE'], rows)}`];
}

export function decisionTable(decisions: ScreeningView['decisions']): string {
  if (decisions.length === 0) return 'No decision yet.\n';
  const rows = decisions.map(({ revision, decided_at, action, rule, resolution_id, reason_codes }) => [
    String(revision),
    `${decided_at.slice(0, 19)}Z`,
    action,
    resolution_id === null ? 'policy' : 'people',
    plain(rule ?? '-'),
    plain(reason_codes.join(' ')),
  ]);
  return table(['REVISION', 'TIME', 'ACTION', 'BY', 'RULE', 'REASONS'], rows);
}
