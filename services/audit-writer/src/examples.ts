import type { EntryView } from './view.ts';

/** Examples of the description: a log of one entry. */
export const exampleKey = 'weir-audit-example+88a7c854+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs\n';

export const exampleCheckpoint =
  'weir-audit-example\n1\nQo/PtA4cPJ2MQKSpa3m3kgZ/fWd/Mh3aFjDQxY5lASQ=\n\n— weir-audit-example iKfIVAAnDOzNEeK6nMifAxu6B4DJoN36aAhH4AOFtQANcUQezptKc4/pM9NF6zweC9PuJ+gUs8mkRxQOtU6l1Eyevg4=\n';

export const exampleEntry: EntryView = {
  event_id: '16fd2706-8baf-533b-a82b-bb81c2b3ee25',
  index: 0,
  topic: 'screenings.decided',
  key: 'd-1',
  headers: { ce_id: '16fd2706-8baf-533b-a82b-bb81c2b3ee25' },
  value_base64: 'ZXZlbnQ=',
  data: null,
  screening_id: '5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10',
  erased_by: null,
  conflicts_with: null,
  log_partition: 1,
  log_offset: '42',
  event_time: '2026-01-31T09:12:24.100000Z',
  recorded_at: '2026-01-31T09:12:24.351207Z',
  salt: 'CQkJCQkJCQkJCQkJCQkJCQ==',
  leaf: '{"version":1,"event_id":"16fd2706-8baf-533b-a82b-bb81c2b3ee25","conflicts_with":null,"topic":"screenings.decided","log_partition":1,"log_offset":"42","event_time":"2026-01-31T09:12:24.100000Z","recorded_at":"2026-01-31T09:12:24.351207Z","commitment":"99b0f0fc131334d0f28286f63125488e2e152b197a427eb99d3ea21fb8c6118f"}',
  leaf_hash: 'Qo/PtA4cPJ2MQKSpa3m3kgZ/fWd/Mh3aFjDQxY5lASQ=',
  tree_size: 1,
  inclusion_proof: [],
  checkpoint: exampleCheckpoint,
};
