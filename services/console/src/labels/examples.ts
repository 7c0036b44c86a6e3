import type { ChainFreshnessView, LabelChangeView, LabelRequestView, LabelSourcesView, LabelView } from './view.ts';

const address = '0x098b716b8aaf21512996dc57eb0615e2383e2f96';
const source = 'our own research';

export const exampleLabel: LabelView = {
  chain: 'ethereum',
  address,
  name: 'Lazarus Group',
  category: 'sanctioned',
  source,
  source_kind: 'curated',
  confidence: 0.9,
  valid_from: null,
  valid_to: null,
};

export const exampleSources: LabelSourcesView = {
  sources: [{ source, source_kind: 'curated', labels: 12, in_force: 11, imported_at: '2026-01-30T08:00:00.000Z' }],
  lists: [
    {
      name: 'ofac-sdn',
      labels: 700,
      checked_at: '2026-01-31T06:00:00.000Z',
      changed_at: '2026-01-28T06:00:00.000Z',
      next_at: '2026-01-31T12:00:00.000Z',
      failures: 0,
      error: null,
    },
  ],
  conflicts: [
    {
      chain: 'ethereum',
      address,
      standing: 'accusation',
      service: { categories: ['exchange'], sources: ['a crawl'] },
      accusation: { categories: ['sanctioned'], sources: ['OFAC SDN'] },
    },
  ],
  read_at: '2026-01-31T09:12:00.000Z',
};

export const exampleLabelChange: LabelChangeView = {
  change_id: 7,
  action: 'end',
  labels: 1,
  source,
  addresses: [address],
  category: null,
  import: null,
  person: 'Ann',
  reason: 'The listing was lifted.',
  changed_at: '2026-01-31T09:12:30.000Z',
};

export const exampleLabelRequest: LabelRequestView = {
  request_id: '7d0f2f3e-0f5c-4a35-9c6b-2f3a1f6f7a10',
  action: 'end',
  state: 'waiting',
  chain: null,
  address,
  name: null,
  category: null,
  source,
  ended_at: null,
  reason: 'The listing was lifted.',
  requested_by: 'Ann',
  requested_at: '2026-01-31T09:12:00.000Z',
  answered_by: null,
  answered_at: null,
  settled_at: null,
  labels: null,
  failure: null,
};

export const exampleFreshness: ChainFreshnessView = {
  chain: 'ethereum',
  labels: 700,
  labels_age_seconds: 10_800,
  transfers: 120_000,
  transfers_age_seconds: 24,
  lag: { blocks: 0, age_seconds: 12 },
};
