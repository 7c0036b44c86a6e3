import type {
  ActionsAnswer,
  AddressOverview,
  CounterpartiesAnswer,
  CounterpartyUnit,
  Final,
  LabelsAnswer,
  MoneyTrace,
  RiskResult,
  TransfersAnswer,
} from '@weir/risk-client';
import type { Described, GroundsView } from '@weir/service-kit';
import type { addressTraceView, analysedScoreView, partiesView, profileView } from './view.ts';

type OfKind<Answer, Kind> = Extract<Answer, { kind: Kind }>;

export function scoreOf(final: Extract<Final, { outcome: 'SCORED' | 'NO_DATA' }>, provider: string): Described<typeof analysedScoreView> {
  const { outcome, result, scanned_ts } = final;
  const isScored = outcome === 'SCORED';
  return {
    state: 'done',
    outcome,
    score: isScored ? result.score : null,
    risk_level: isScored ? result.risk_level : null,
    detail_list: [...result.detail_list],
    risk_detail: result.risk_detail.map(({ volume_usd: volume, hop_dic: _hops, path, sources, ...exposure }) => ({
      ...exposure,
      volume,
      ...(sources && { sources: [...sources] }),
      path: (path ?? []).map((hop) => ({ ...hop })),
    })),
    grounds: groundsOf(result),
    illicit_usd: result.illicit_usd,
    address_label: result.address_label,
    hacking_event: result.hacking_event,
    scanned_at: scanned_ts === null ? null : timeOf(scanned_ts),
    provider,
  };
}

function groundsOf({ contributions, counterfactuals }: RiskResult): GroundsView | null {
  if (contributions === null) return null;
  return {
    contributions: [...contributions],
    counterfactuals: [...(counterfactuals ?? [])],
  };
}

interface ProfileParts {
  readonly labels: OfKind<LabelsAnswer, 'labels'> | null;
  readonly counterparties: OfKind<CounterpartiesAnswer, 'counterparties'> | null;
  readonly actions: OfKind<ActionsAnswer, 'actions'> | null;
  readonly overview: AddressOverview | null;
}

export function profileOf({ labels, counterparties, actions, overview }: ProfileParts): Described<typeof profileView> {
  const shares = (of: OfKind<ActionsAnswer, 'actions'>['spent_txs']) =>
    of.map(({ action, count, proportion: percent }) => ({ action, count, percent }));
  return {
    labels: labels && [...labels.label_list],
    label_type: labels && labels.label_type,
    overview: overview && {
      balance: overview.balance,
      total_received: overview.total_received,
      total_spent: overview.total_spent,
      received_txs: overview.received_txs_count,
      spent_txs: overview.spent_txs_count,
      first_seen_at: overview.first_seen === null ? null : timeOf(overview.first_seen),
      last_seen_at: overview.last_seen === null ? null : timeOf(overview.last_seen),
    },
    counterparties:
      counterparties && counterparties.address_counterparty_list.map((share) => ({ ...share })).toSorted((a, b) => b.amount - a.amount),
    received: actions && shares(actions.received_txs),
    spent: actions && shares(actions.spent_txs),
  };
}

export function partiesOf(answer: OfKind<TransfersAnswer, 'transfers'>): Described<typeof partiesView> {
  const rows = (side: 'in' | 'out', units: readonly CounterpartyUnit[]) =>
    units.map(({ address, type: kind, label, amount, tx_hash_list: txids }) => ({ side, address, kind, label, amount, txids: [...txids] }));
  return { items: [...rows('in', answer.in), ...rows('out', answer.out)], page: answer.page, total_pages: answer.total_pages };
}

export function traceOf({
  direction,
  unit,
  value,
  transfers,
  read,
  terminals,
  others,
  not_followed,
}: MoneyTrace): Described<typeof addressTraceView> {
  return {
    direction,
    unit,
    value,
    transfers,
    read,
    ends: terminals.map(({ kind, entity, category, address, addresses, value: own, hops, path }) => ({
      kind,
      entity,
      category,
      address,
      addresses,
      value: own,
      hops,
      path: path.map((hop) => ({ ...hop })),
    })),
    others: { ends: others.terminals, value: others.value },
    not_followed,
  };
}

const timeOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();
