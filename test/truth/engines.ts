import { type Exposure, type RiskStore, scoreAddress } from '@weir/risk-engine';
import { memoryStore } from '@weir/risk-engine/testing';
import type { Scenario } from './movements.ts';

export interface Scored {
  readonly score: number;
  /** The score before rounding, where the engine gives it. */
  readonly rank: number;
  readonly exposures: readonly Exposure[];
}

export interface Engine {
  readonly name: string;
  /** Each address as the payer of a deposit. */
  readonly score: (scenario: Scenario, subjects: readonly string[]) => Promise<ReadonlyMap<string, Scored>>;
}

/** By the name that `--engines` takes. */
export const engines: Readonly<Record<string, Engine>> = {
  address: { name: 'Weir', score: (scenario, subjects) => scoreEach(storeOf(scenario), scenario.chain, subjects) },
};

async function scoreEach(store: RiskStore, chain: string, subjects: readonly string[]): Promise<ReadonlyMap<string, Scored>> {
  const scored = new Map<string, Scored>();
  for (const subject of subjects) {
    const { score, exposures } = await scoreAddress(store, chain, subject, 0);
    scored.set(subject, { score, rank: score, exposures });
  }
  return scored;
}

function storeOf({ chain, movements, labels }: Scenario): RiskStore {
  return memoryStore({
    transfers: movements.map(({ tx, from, to, usd }) => ({ chain, txid: tx, from, to, usd })),
    labels: labels.map((label) => ({ ...label, chain, valid_from: null, valid_to: null })),
  });
}
