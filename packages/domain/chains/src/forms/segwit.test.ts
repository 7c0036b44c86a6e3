import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../index.ts';

const parse = (text: string): string | undefined => parseAddress('bitcoin', text);

// Mainnet vectors of BIP-173 and BIP-350.
const valid = [
  'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
  'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
  'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
  'BC1SW50QGDZ25J',
  'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs',
  'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
];

const invalid = [
  ['a testnet prefix', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
  ['an unknown prefix', 'tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty'],
  ['a wrong checksum', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
  ['version 17', 'BC13W508D6QEJXTDG4Y5R3ZARVARY0C5XW7KN40WF2'],
  ['a program of 1 byte', 'bc1rw5uspcuh'],
  ['version 0 with 16 bytes', 'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P'],
  ['mixed case', 'bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
  ['no data', 'bc1gmk9yu'],
  ['version 1 with the Bech32 checksum', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd'],
  ['version 16 with the Bech32 checksum', 'BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL'],
  ['version 0 with the Bech32m checksum', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh'],
  ['a character that is not of the alphabet', 'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4'],
  ['version 17 with the Bech32m checksum', 'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R'],
  ['a program of 1 byte with the Bech32m checksum', 'bc1pw5dgrnzv'],
  ['a program of 41 bytes', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav'],
  ['more than 4 bits of padding', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf'],
] as const;

describe('segwit addresses', () => {
  it.each(valid)('accepts %s in lower case', (text) => expect(parse(text)).toBe(text.toLowerCase()));

  it.each(invalid)('refuses %s', (_, text) => expect(parse(text)).toBeUndefined());

  it('refuses any single changed character', () => {
    const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
    const change = fc.record({ sample: fc.constantFrom(...valid), at: fc.nat({ max: 73 }), digit: fc.constantFrom(...alphabet.split('')) });
    fc.assert(
      fc.property(change, ({ sample, at, digit }) => {
        const text = sample.toLowerCase();
        fc.pre(at >= 3 && at < text.length && text[at] !== digit);
        expect(parse(text.slice(0, at) + digit + text.slice(at + 1))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});
