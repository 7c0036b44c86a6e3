import type { HistoryWindow } from '@weir/contracts';
import { Decimal } from './decimal.ts';
import type { Evidence } from './evidence.ts';
import { toWindow, windowKey } from './history.ts';
import { ExposureFacts, HistoryFacts, ResultFacts, TransferFacts, WindowFacts } from './language.ts';
import type { Policy } from './policy.ts';

/** Unknown values are absent, so that a rule's read fails. */
export function ruleVariablesOf(
  policy: Policy,
  evidence: Evidence,
): { transfer: TransferFacts; result: ResultFacts; history: HistoryFacts } {
  return { transfer: transferFacts(evidence), result: resultFacts(evidence), history: historyFacts(policy, evidence) };
}

function transferFacts({ kind, usd_value, transfer = {} }: Evidence): TransferFacts {
  const { source_id, chain, coin, txid, from_address, to_address, amount, user_id, occurred_at } = transfer;
  return new TransferFacts(
    known({
      kind,
      source_id,
      chain,
      coin,
      txid,
      from_address,
      to_address,
      counterparty: kind === 'deposit' ? from_address : to_address,
      amount: amount === undefined ? undefined : Decimal.parse(amount),
      usd_value: usd_value === null ? undefined : Decimal.parse(usd_value),
      user_id,
      occurred_at: occurred_at === undefined ? undefined : new Date(occurred_at),
    }),
  );
}

function resultFacts(evidence: Evidence): ResultFacts {
  const { outcome, score, risk_level, reasons, detail_list, risk_detail, address_label, hacking_event, provider } = evidence;
  return new ResultFacts(
    known({
      outcome,
      score: integer(score),
      // A missing level is known.
      risk_level: outcome === 'SCORED' ? (risk_level ?? '') : '',
      reasons,
      detail_list,
      risk_detail: risk_detail.map((exposure) => new ExposureFacts(known({ ...exposure, hop_num: integer(exposure.hop_num) }))),
      address_label,
      hacking_event,
      provider,
      illicit_usd: evidence.illicit_usd,
    }),
  );
}

function historyFacts({ history = {} }: Policy, evidence: Evidence): HistoryFacts {
  const values = new Map(evidence.history?.map((value) => [windowKey(value), value]));
  const windows = Object.entries(history).map(([name, written]) => {
    const value = values.get(windowKey(toWindow(written)));
    return [name, value === undefined ? undefined : windowFacts(value)] as const;
  });
  return new HistoryFacts(known(Object.fromEntries(windows)));
}

function windowFacts({ count, known_usd, unknown_count }: HistoryWindow): WindowFacts {
  const sum = Decimal.parse(known_usd);
  // A sum with an unknown part is unknown.
  return new WindowFacts(
    known({ count: BigInt(count), usd: unknown_count === 0 ? sum : undefined, known_usd: sum, unknown_count: BigInt(unknown_count) }),
  );
}

function integer(value: number | null | undefined): bigint | undefined {
  return value === null || value === undefined || !Number.isSafeInteger(value) ? undefined : BigInt(value);
}

function known(all: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== null));
}
