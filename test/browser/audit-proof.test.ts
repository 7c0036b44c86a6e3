import { expect, test } from 'vitest';
import { readCheckpoint, verifyEntry } from '../../services/console/web/src/audit/verify.ts';

/** A log of one entry, as the description of the API has it. */
const keys = 'weir-audit-example+88a7c854+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs\n';
const entry = {
  event_id: '16fd2706-8baf-533b-a82b-bb81c2b3ee25',
  index: 0,
  topic: 'screenings.decided',
  key: 'd-1',
  headers: { ce_id: '16fd2706-8baf-533b-a82b-bb81c2b3ee25' },
  value_base64: 'ZXZlbnQ=',
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
  checkpoint:
    'weir-audit-example\n1\nQo/PtA4cPJ2MQKSpa3m3kgZ/fWd/Mh3aFjDQxY5lASQ=\n\n— weir-audit-example iKfIVAAnDOzNEeK6nMifAxu6B4DJoN36aAhH4AOFtQANcUQezptKc4/pM9NF6zweC9PuJ+gUs8mkRxQOtU6l1Eyevg4=\n',
};
const good = { isContent: true, isIncluded: true, isSigned: true };

test('an entry is verified from its content up to the signature', async () => {
  expect(await verifyEntry(entry, keys)).toEqual(good);
  expect(readCheckpoint(entry.checkpoint)).toEqual({
    origin: 'weir-audit-example',
    size: 1,
    root: entry.leaf_hash,
    signers: ['weir-audit-example'],
  });
});

test.each([
  ['content', { value_base64: 'ZXZlbnU=' }, { isContent: false }],
  ['a header', { headers: { ce_id: 'x' } }, { isContent: false }],
  ['a time beside the leaf', { event_time: '2026-01-31T09:12:24.100001Z' }, { isContent: false }],
  ['the leaf', { leaf: entry.leaf.replace('"42"', '"43"') }, { isContent: false }],
  ['a salt that is no base64', { salt: '%' }, { isContent: false }],
  ['the hash', { leaf_hash: 'Ro/PtA4cPJ2MQKSpa3m3kgZ/fWd/Mh3aFjDQxY5lASQ=' }, { isContent: false, isIncluded: false }],
  ['the index', { index: 1 }, { isIncluded: false }],
  ['a longer path', { inclusion_proof: [entry.leaf_hash] }, { isIncluded: false }],
  ['the root of the note', { checkpoint: entry.checkpoint.replace('\nQo', '\nRo') }, { isIncluded: false, isSigned: false }],
  ['the signature', { checkpoint: entry.checkpoint.replace('AAnDO', 'AAnDP') }, { isSigned: false }],
])('another %s is noticed', async (_, change, wrong) => {
  expect(await verifyEntry({ ...entry, ...change }, keys)).toEqual({ ...good, ...wrong });
});

test('a key of another log, and no key, verify no signature', async () => {
  expect(await verifyEntry(entry, keys.replace('weir-audit-example', 'other'))).toEqual({ ...good, isSigned: false });
  expect(await verifyEntry(entry, '')).toEqual({ ...good, isSigned: false });
});
