import type {
  DisagreementsView,
  PolicyChangeView,
  PolicyDifference,
  PolicyView,
  ProposalView,
  RejectionView,
  VelocityView,
} from './policy-view.ts';

/** Examples of the description. */
const policy_hash = 'a3f5c1d2e4b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90';

export const exampleChange: PolicyChangeView = {
  number: 2,
  policy_hash,
  set_by: 'command',
  shadow_hash: null,
  changed_at: '2026-01-31T09:12:24.000Z',
};

export const exampleProposal: ProposalView = {
  policy_hash,
  proposed_by: { id: 'reviewer:0f1e2d3c4b5a6978', name: 'Reviewer' },
  proposed_at: '2026-01-31T08:00:00.000Z',
};

export const exampleRejection: RejectionView = {
  ...exampleProposal,
  rejected_by: { id: 'approver:5a69780f1e2d3c4b', name: 'Approver' },
  rejected_at: '2026-01-31T08:30:00.000Z',
  reason: 'The limit is too high.',
};

export const examplePolicy: PolicyView = {
  policy_hash,
  text: 'version: 1\n',
  sanctioned_exposure: { deposit: 'block', withdrawal: 'block' },
  table: [{ line: 'Low', deposit: { review_from_usd: '10000', below: 'allow', unknown_value: 'review' }, withdrawal: 'allow' }],
  limits: [{ about: 'Days that a known price may be old (price_max_age_days)', value: '2' }],
  windows: [{ name: 'deposits_1d', counts: 'deposits of the same user in 24h' }],
  rules: [
    {
      name: 'large',
      when: "usd_value >= decimal('50000')",
      words: 'the value in USD is at least 50,000',
      action: 'review',
      may_relax: false,
    },
  ],
};

export const exampleDifference: PolicyDifference = {
  from: '0718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a3f5c1d2e4b6',
  to: policy_hash,
  changes: [{ about: 'Moderate deposits', from: 'review', to: 'block', text: 'Moderate deposits: review → block' }],
};

export const exampleVelocity: VelocityView = {
  policy_hash,
  items: [
    {
      window: 'deposits_1d',
      of: 'user',
      kind: 'deposit',
      window_ms: 86_400_000,
      count: 2,
      known_usd: '1500.5',
      unknown_count: 0,
      rules: ['many_deposits'],
    },
  ],
};

export const exampleDisagreements: DisagreementsView = {
  shadow_hash: '0718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a3f5c1d2e4b6',
  since: '2026-01-24T09:12:24.000Z',
  cells: [{ action: 'review', shadow: 'block', count: 1 }],
  items: [
    {
      screening_id: '3f2b6a0e-6a1d-5c7e-9b43-2d8e4f5a6b7c',
      revision: 1,
      kind: 'deposit',
      coin: 'ETH',
      amount: '0.5',
      usd_value: '1500.5',
      action: 'review',
      shadow: 'block',
      rule: null,
      decided_at: '2026-01-31T09:12:24.000Z',
    },
  ],
};
