import type { Kind } from '@weir/contracts';
import type { Evidence } from '@weir/policy';
import { assessSides, type RiskStore, scoreAddress, type Side, weightOf } from '@weir/risk-engine';
import { memoryStore } from '@weir/risk-engine/testing';
import type { Scenario } from './movements.ts';

export interface Scored {
  readonly score: number;
  /** The score before rounding, where the engine gives it. */
  readonly rank: number;
  readonly risk_detail: Evidence['risk_detail'];
  /** Received, in USD; null where the engine does not say. */
  readonly illicit_usd: number | null;
}

export interface Engine {
  readonly name: string;
  /** Each address as the sender of a deposit, or as the receiver of a withdrawal. */
  readonly score: (scenario: Scenario, subjects: readonly string[], kind: Kind) => Promise<ReadonlyMap<string, Scored>>;
}

/** By the name that `--engines` takes. */
export const engines: Readonly<Record<string, Engine>> = {
  address: { name: 'Weir', score: (scenario, subjects) => scoreEach(subjects, scoreOf(storeOf(scenario), scenario.chain)) },
  sides: {
    name: 'Weir, sides apart',
    score: (scenario, subjects, kind) => scoreEach(subjects, sideScoreOf(storeOf(scenario), scenario.chain, kind)),
  },
};

async function scoreEach(subjects: readonly string[], score: (subject: string) => Promise<Scored>): Promise<ReadonlyMap<string, Scored>> {
  const scored = new Map<string, Scored>();
  for (const subject of subjects) scored.set(subject, await score(subject));
  return scored;
}

function scoreOf(store: RiskStore, chain: string) {
  return async (subject: string): Promise<Scored> => {
    const { score, exposures } = await scoreAddress(store, chain, subject, 0);
    const risk_detail = exposures.map(({ risk_type, exposure_type, hop_num }) => ({ risk_type, exposure_type, hop_num }));
    return { score, rank: score, risk_detail, illicit_usd: null };
  };
}

function sideScoreOf(store: RiskStore, chain: string, kind: Kind) {
  const counted: Side[] = kind === 'deposit' ? ['in'] : ['in', 'out'];
  return async (subject: string): Promise<Scored> => {
    const { score, exact, sides } = await assessSides(store, chain, subject, 0, { sides: counted });
    const { direct, traced } = sides.in.illicit_usd;
    const risk_detail = [...sides.in.exposures, ...sides.out.exposures].map(({ side, category, exposure_type, volume, path }) => ({
      side,
      risk_type: weightOf(category).risk_type ?? '',
      exposure_type,
      hop_num: exposure_type === 'direct' ? 1 : Math.max(path.length, 2),
      volume_usd: volume,
    }));
    return { score, rank: exact, risk_detail, illicit_usd: direct + traced };
  };
}

function storeOf({ chain, movements, labels }: Scenario): RiskStore {
  return memoryStore({
    transfers: movements.map(({ tx, ...movement }) => ({ ...movement, chain, txid: tx })),
    labels: labels.map((label) => ({ ...label, chain, valid_from: null, valid_to: null })),
  });
}
