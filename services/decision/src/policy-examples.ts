import type { PolicyChangeView, PolicyDifference, PolicyView, ProposalView } from './policy-view.ts';

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

export const examplePolicy: PolicyView = {
  policy_hash,
  text: 'version: 1\n',
  sanctioned_exposure: { deposit: 'block', withdrawal: 'block' },
  table: [{ line: 'Low', deposit: { review_from_usd: '10000', below: 'allow', unknown_value: 'review' }, withdrawal: 'allow' }],
  rules: [{ name: 'large', when: "usd_value >= decimal('50000')", action: 'review', may_relax: false }],
};

export const exampleDifference: PolicyDifference = {
  from: '0718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90a3f5c1d2e4b6',
  to: policy_hash,
  changes: [{ about: 'Moderate deposits', from: 'review', to: 'block', text: 'Moderate deposits: review → block' }],
};
