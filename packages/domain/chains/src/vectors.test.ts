import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chains, findChain, isNobody, nobodiesOf, parseAccount, parseAddress, parseMemo, parseTxid, type Chain } from './index.ts';
import vectors from './vectors.json' with { type: 'json' };

const rows = vectors.rows.map((row) => ({ ...row, chain: row.chain as Chain }));
const parse = { address: parseAddress, txid: parseTxid };

describe('vectors', () => {
  it.each(rows)('$chain $kind $text', ({ chain, kind, text, normal }) => {
    expect(parse[kind as keyof typeof parse](chain, text)).toBe(normal ?? undefined);
  });

  it('exist of both kinds for every chain, valid and invalid, and each names its source', () => {
    for (const chain of chains) {
      for (const kind of ['address', 'txid']) {
        const own = rows.filter((row) => row.chain === chain && row.kind === kind);
        expect([own.some(({ normal }) => normal !== null), own.some(({ normal }) => normal === null)], `${chain} ${kind}`).toEqual([
          true,
          true,
        ]);
      }
    }
    expect(rows.filter(({ source }) => source.length < 10)).toEqual([]);
  });

  it('a normal form parses to itself', () => {
    for (const { chain, kind, normal } of rows) {
      if (normal !== null) expect(parse[kind as keyof typeof parse](chain, normal)).toBe(normal);
    }
  });

  it('a changed character is refused wherever there is a checksum', () => {
    const without: readonly Chain[] = ['solana', 'near', 'aptos', 'sui'];
    const checked = rows.filter(
      ({ chain, kind, normal, text }) => kind === 'address' && normal === text && !without.includes(chain) && !text.startsWith('0x'),
    );
    expect(new Set(checked.map(({ chain }) => chain)).size).toBeGreaterThan(10);
    fc.assert(
      fc.property(
        fc.constantFrom(...checked),
        fc.nat(),
        fc.constantFrom(...'23456789acdefghj'.split('')),
        ({ chain, text }, place, digit) => {
          const at = text.includes(':') ? 12 + (place % (text.length - 12)) : place % text.length;
          fc.pre(text[at] !== digit);
          expect(parseAddress(chain, text.slice(0, at) + digit + text.slice(at + 1))).toBeUndefined();
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

it('no chain throws on any text', () => {
  fc.assert(
    fc.property(fc.constantFrom(...chains), fc.string(), (chain, text) => {
      parseAddress(chain, text);
      parseTxid(chain, text);
      parseMemo(chain, text);
    }),
  );
});

it('every nobody is an address in its normal form', () => {
  for (const chain of chains) {
    for (const address of nobodiesOf(chain)) {
      expect(parseAddress(chain, address)).toBe(address);
      expect(isNobody(chain, address)).toBe(true);
    }
  }
});

it.each([
  ['ripple', 'X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu', '1'],
  ['ripple', 'XVLhHMPHU98es4dbozjVtdWzVrDjtV18pX8yuPT7y4xaEHi', '4294967295'],
  ['ripple', 'XVLhHMPHU98es4dbozjVtdWzVrDjtV8AqEL4xcZj5whKbmc', '0'],
  ['ripple', 'X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ', undefined],
  ['stellar', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ', '0'],
  ['stellar', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK', '9223372036854775808'],
] as const)('%s %s holds the memo %s', (chain, text, memo) => {
  expect(parseAccount(chain, text)?.memo).toBe(memo);
});

it.each([
  ['ripple', '4294967295', '4294967295'],
  ['ripple', '4294967296', undefined],
  ['ripple', '01', undefined],
  ['ripple', 'x', undefined],
  ['stellar', 'a text of twenty-eight bytes', 'a text of twenty-eight bytes'],
  ['stellar', 'a text of twenty-nine bytes..', undefined],
  ['stellar', 'AB'.repeat(32), 'ab'.repeat(32)],
  ['ton', '1234', '1234'],
  ['ton', 'a\u0000', undefined],
  ['cosmos', 'x'.repeat(257), undefined],
  ['ethereum', '1', undefined],
  ['bitcoin', '', undefined],
] as const)('a memo of %s: %j is %j', (chain, text, memo) => {
  expect(parseMemo(chain, text)).toBe(memo);
});

it.each([
  ['TRC20', 'tron'],
  ['Arbitrum One', 'arbitrum'],
  ['zkSync Era', 'zksync'],
  ['xrp', 'ripple'],
  ['nowhere', undefined],
])('the chain %s is %s', (name, chain) => {
  expect(findChain(name)).toBe(chain);
});
