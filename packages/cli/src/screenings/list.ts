import type { ScreeningView } from '@weir/console';
import { firstOf, pagesOf, withConsole } from '../console.ts';
import type { PlaceFlags } from '../flags.ts';
import { note, plain, printJsonList, printTable } from '../output.ts';

interface ListFlags extends PlaceFlags {
  readonly kind?: string;
  readonly action?: string;
  readonly open?: true;
  readonly level?: string;
  readonly subject?: string;
  readonly address?: string;
  readonly userId?: string;
  readonly sourceId?: string;
  readonly txid?: string;
  readonly chain?: string;
  readonly coin?: string;
  readonly rule?: string;
  readonly reason?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly minUsd?: string;
  readonly maxUsd?: string;
  readonly sort?: string;
  readonly limit: number;
  readonly json?: true;
}

/** Newest first unless sorted otherwise. */
export async function listScreenings(flags: ListFlags): Promise<void> {
  const { kind, action, open, level, subject, address, txid, chain, coin, rule, reason, limit } = flags;
  const query = {
    kind,
    action,
    open: open && 'true',
    level,
    subject,
    address,
    txid,
    chain,
    coin,
    rule,
    reason,
    user_id: flags.userId,
    source_id: flags.sourceId,
    since: flags.since?.toISOString(),
    until: flags.until?.toISOString(),
    min_usd: flags.minUsd,
    max_usd: flags.maxUsd,
    sort: flags.sort,
  };
  await withConsole(flags, async (client) => {
    const all = firstOf(pagesOf<ScreeningView>(client, '/v1/screenings', query), limit);
    if (flags.json) return void (await printJsonList(all));
    const count = await printTable(head, all, rowOf);
    note(
      count === 0
        ? 'No matching screening.'
        : `${count} screening${count === 1 ? '' : 's'}${count === limit ? '; --limit shows more' : ''}.`,
    );
  });
}

export const head = ['REQUESTED', 'SCREENING', 'KIND', 'STATUS', 'LEVEL', 'ID', 'AMOUNT', 'USD', 'REASONS'] as const;

export function rowOf({ screening_id, kind, status, transfer, result, requested_at, decisions }: ScreeningView): string[] {
  return [
    `${requested_at.slice(0, 19)}Z`,
    screening_id,
    kind,
    status,
    result?.risk_level ?? result?.outcome ?? 'no result',
    ...transferCells(transfer),
    plain((decisions.at(-1)?.reason_codes ?? []).join(' ')),
  ];
}

/** The cells of ID, AMOUNT and USD. */
export function transferCells({ deposit_id, withdrawal_id, amount, coin, usd_value }: ScreeningView['transfer']): string[] {
  return [plain(deposit_id ?? withdrawal_id ?? ''), plain(`${amount} ${coin}`), usd_value ?? 'unknown'];
}
