import { expect, test } from 'vitest';
import { deriver } from './derive.ts';

// The vectors of BIP-84, BIP-49, BIP-86 and BIP-44 derive from one mnemonic: eleven times "abandon", then "about".
const zpub = 'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';

test('addresses of Bitcoin are those of the test vectors of BIP-84', () => {
  const derive = deriver('bitcoin', zpub, { branch: 0 });
  expect([derive(0), derive(1)]).toEqual(['bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g']);
  expect(deriver('bitcoin', zpub, { branch: 1 })(0)).toBe('bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el');
});

test('the script of an xpub must be named, and a key of another kind is refused', () => {
  const xpub = 'xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ';
  expect(() => deriver('bitcoin', xpub, { branch: 0 })).toThrow('--script');
  // BIP-86.
  expect(deriver('bitcoin', xpub, { branch: 0, script: 'p2tr' })(0)).toBe('bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr');
  expect(() => deriver('bitcoin', `xprv${xpub.slice(4)}`, { branch: 0 })).toThrow('private key');
  expect(() => deriver('bitcoin', `${xpub.slice(0, -1)}A`, { branch: 0, script: 'p2tr' })).toThrow('not valid');
  expect(() => deriver('solana', xpub, { branch: 0 })).toThrow('cannot be derived');
});
