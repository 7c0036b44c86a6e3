import { countDisagreements, listDisagreements, policyInForce } from '@weir/decision';
import type { PlaceFlags } from '../flags.ts';
import { note, plain, print, printJson, table } from '../output.ts';
import { withDecisions } from './resolve.ts';

interface DisagreementFlags extends PlaceFlags {
  readonly since?: Date;
  readonly limit: number;
  readonly json?: true;
}

/** Decisions in which the candidate differs: counts, and the latest. */
export async function showDisagreements(flags: DisagreementFlags): Promise<void> {
  await withDecisions(flags, async ({ pool }) => {
    const inForce = await policyInForce(pool);
    if (inForce === undefined || inForce.shadow === null) throw new Error('no candidate runs; "weir policy shadow FILE" starts one');
    const since = flags.since ?? new Date(0);
    const counts = await countDisagreements(pool, inForce.shadow, since);
    const latest = await listDisagreements(pool, inForce.shadow, since, flags.limit);
    if (flags.json) {
      const items = latest.map(({ decided_at, ...item }) => ({ ...item, decided_at: decided_at.toISOString() }));
      return printJson({ active: inForce.active, shadow: inForce.shadow, counts, items });
    }
    const rows = latest.map((item) => [
      item.decided_at.toISOString(),
      item.transfer.kind,
      plain(item.transfer.source_id),
      item.screening_id,
      `${item.action} → ${item.shadow}`,
      item.rule ?? '',
    ]);
    const sums = counts.map(({ action, shadow, count }) => [String(count), `${action} → ${shadow}`]);
    if (sums.length > 0) await print(table(['COUNT', 'DIFFERS'], sums));
    if (rows.length > 0) await print(`\n${table(['DECIDED', 'KIND', 'TRANSFER', 'SCREENING', 'DIFFERS', 'RULE'], rows)}`);
    return note(
      counts.length === 0
        ? 'The candidate has agreed with every decision.'
        : `Of the policy → of the candidate. --limit ${flags.limit} listed.`,
    );
  });
}
