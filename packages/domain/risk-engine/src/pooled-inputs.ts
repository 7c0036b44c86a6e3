import type { Lookup } from './attribution/lookup.ts';
import { interactDetails, theftOf } from './details.ts';
import { largestFirst } from './exposures.ts';
import { noFlow } from './flow.ts';
import { type Assessment, noSide, unknown } from './result.ts';
import { scoreOf } from './score.ts';
import { assessSide } from './sides/assess.ts';
import { scoreSide, type SideSettings } from './sides/score.ts';
import type { History, Leg, Movement } from './store.ts';

export type Paid = Leg & { readonly from: string; readonly to: string };

/**
 * The inputs of a transaction as the source of one address's funds: those that brought most are read first, within the budget of a side,
 * so that their number hides nothing. Sums in USD count over all of them.
 */
export async function assessPooled(lookup: Lookup, txid: string, paid: readonly Paid[], settings: SideSettings): Promise<Assessment> {
  const pool = `inputs of ${txid}`;
  const shown = new Map(
    paid.map((leg): [Movement, Movement] => [
      { ...leg, tx: txid, to: pool },
      { ...leg, tx: txid },
    ]),
  );
  const peers = { in: new Set(paid.map(({ from }) => from)).size, out: 0 };
  const history: History = { movements: [...shown.keys()], rest: { in: noFlow, out: noFlow }, peers };
  const options = { settings, isCounted: true, mostUnread: 0 };
  const {
    masses: read,
    summary: found,
    lines,
  } = await assessSide(withoutTransaction(lookup, txid, pool), { address: pool, history }, 'in', options);
  // All inputs are one payer's.
  const masses = read.map((view) => ({ ...view, doubtfulUsd: view.valued ? view.unread : 0 }));
  const score = Math.max(...masses.map((view) => scoreSide(view, settings).score));
  const summary = { ...found, score };
  const exposures = largestFirst(
    lines.map((line) => ({ ...line, percent: line.side_percent, path: line.path.map((movement) => shown.get(movement) ?? movement) })),
  );
  const { direct, traced } = summary.illicit_usd;
  return {
    ...unknown,
    ...scoreOf({ own: [], contested: false, sides: masses, settings }),
    detail_list: interactDetails(exposures),
    exposures,
    hacking_event: theftOf(exposures),
    coverage: 'transfers',
    bound: summary.unread,
    illicit_usd: direct + traced,
    sides: { in: summary, out: { ...noSide, counted: false } },
  };
}

/** The transaction's own transfers would take the same money out of an input a second time. */
function withoutTransaction(lookup: Lookup, txid: string, pool: string): Lookup {
  return {
    ...lookup,
    labelsOf: (addresses) => lookup.labelsOf([...addresses].filter((address) => address !== pool)),
    async histories(requests, bounds) {
      const found = await lookup.histories(requests, bounds);
      return new Map(
        [...found].map(([address, history]) => [address, { ...history, movements: history.movements.filter(({ tx }) => tx !== txid) }]),
      );
    },
  };
}
