import type { Kind } from '@weir/contracts';
import type { Evidence } from '@weir/policy';
import { type RiskStore, scoreAddress, type Side } from '@weir/risk-engine';
import { memoryStore } from '@weir/risk-engine/testing';
import type { Scenario } from './movements.ts';

export interface Scored {
  readonly score: number;
  /** Orders addresses: by the score, and equal ones by the illicit USD. */
  readonly rank: number;
  readonly risk_detail: Evidence['risk_detail'];
  /** Received, in USD. */
  readonly illicit_usd: number;
}

export const engineName = 'Weir';

/** Each address as the sender of a deposit, or as the receiver of a withdrawal. */
export async function scoreAll(scenario: Scenario, subjects: readonly string[], kind: Kind): Promise<ReadonlyMap<string, Scored>> {
  const store = storeOf(scenario);
  const sides: readonly Side[] = kind === 'deposit' ? ['in'] : ['in', 'out'];
  const scored = new Map<string, Scored>();
  for (const subject of subjects) {
    const { score, exposures, illicit_usd } = await scoreAddress(store, scenario.chain, subject, 0, { sides });
    const risk_detail = exposures.map(({ side, risk_type, exposure_type, hop_num, volume }) => ({
      side,
      risk_type,
      exposure_type,
      hop_num,
      volume_usd: volume,
    }));
    scored.set(subject, { score, rank: rankOf(score, illicit_usd), risk_detail, illicit_usd });
  }
  return scored;
}

/** Less than a point for any sum. */
function rankOf(score: number, usd: number): number {
  return score + usd / (usd + 1_000_000);
}

function storeOf({ chain, movements, labels, co_spends = [] }: Scenario): RiskStore {
  return memoryStore({
    transfers: movements.map(({ tx, ...movement }) => ({ ...movement, chain, txid: tx })),
    labels: labels.map((label) => ({ ...label, chain, valid_from: null, valid_to: null })),
    co_spends: co_spends.map((addresses) => ({ chain, addresses })),
  });
}
