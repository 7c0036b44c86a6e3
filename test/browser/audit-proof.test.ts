import { expect, onTestFinished, test, vi } from 'vitest';
import { exampleEntry as entry, exampleKey as keys } from '../../services/audit-writer/src/examples.ts';
import { readCheckpoint, verifyEntry } from '../../services/console/web/src/audit/verify.ts';

const good = { isContent: true, isIncluded: true, isSigned: true };

test('an entry is verified from its content up to the signature', async () => {
  expect(await verifyEntry(entry.event_id, entry, keys)).toEqual(good);
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
  expect(await verifyEntry(entry.event_id, { ...entry, ...change }, keys)).toEqual({ ...good, ...wrong });
});

test('a key of another log, and no key, verify no signature', async () => {
  expect(await verifyEntry(entry.event_id, entry, keys.replace('weir-audit-example', 'other'))).toEqual({ ...good, isSigned: false });
  expect(await verifyEntry(entry.event_id, entry, '')).toEqual({ ...good, isSigned: false });
});

test('a browser without Ed25519 says that it cannot tell, not that the signature is wrong', async () => {
  const importKey = vi.spyOn(crypto.subtle, 'importKey').mockRejectedValue(new DOMException('Unrecognized name', 'NotSupportedError'));
  onTestFinished(() => importKey.mockRestore());
  expect(await verifyEntry(entry.event_id, entry, keys)).toEqual({ ...good, isSigned: null });
});

test('the good entry of another event is no proof', async () => {
  expect(await verifyEntry('4f6d7b9e-0000-4000-8000-000000000000', entry, keys)).toEqual({ ...good, isContent: false });
});
