import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress, tronAddressFromHex } from '../index.ts';

const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const tron = ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', 'TKg6nmkYAtrbnjvTq31s8VGzh1s1tx9999'];
const bitcoin = ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '1H939dom7i4WDLCKyGbXUp3fs9CSTNRzgL', '3P14159f73E4gFr7JterCCQh9QjiTjiZrG'];
const all = [...tron.map((text) => ['tron', text] as const), ...bitcoin.map((text) => ['bitcoin', text] as const)];

function withDigit(text: string, at: number, digit: string): string {
  return text.slice(0, at) + digit + text.slice(at + 1);
}

describe('Base58Check addresses', () => {
  it.each(all)('%s: %s stays exactly as given', (chain, text) => {
    expect(parseAddress(chain, text)).toBe(text);
  });

  it.each(all)('%s: %s in another case is another text, and refused', (chain, text) => {
    expect(parseAddress(chain, text.toLowerCase())).toBeUndefined();
    expect(parseAddress(chain, text.toUpperCase())).toBeUndefined();
  });

  it('refuses any single changed character', () => {
    const change = fc.record({ sample: fc.constantFrom(...all), at: fc.nat({ max: 33 }), digit: fc.constantFrom(...digits.split('')) });
    fc.assert(
      fc.property(change, ({ sample: [chain, text], at, digit }) => {
        fc.pre(at < text.length && text[at] !== digit);
        expect(parseAddress(chain, withDigit(text, at, digit))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a testnet address', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
    ['a testnet script address', '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc'],
    ['a Litecoin address', 'LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1'],
    ['a private key in wallet import format', '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ'],
    ['a leading 1 too many', '11A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    ['a blank at the end', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa '],
  ])('refuses %s on bitcoin', (_, text) => {
    expect(parseAddress('bitcoin', text)).toBeUndefined();
  });

  it('refuses a right checksum and version over 19 or 21 bytes', () => {
    for (const [chain, version] of [
      ['tron', 0x41],
      ['bitcoin', 0x05],
    ] as const) {
      const encode = (length: number): string =>
        createBase58check(sha256).encode(Uint8Array.of(version, ...new Uint8Array(length).fill(7)));
      expect(parseAddress(chain, encode(20))).toBe(encode(20));
      expect(parseAddress(chain, encode(19))).toBeUndefined();
      expect(parseAddress(chain, encode(21))).toBeUndefined();
    }
  });

  it('refuses long text without decoding it', () => {
    expect(parseAddress('tron', 'T'.repeat(1_000_000))).toBeUndefined();
  });
});

describe('tronAddressFromHex', () => {
  it.each([
    ['a614f803b6fd780986a42c78ec9c7f77e6ded13c', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['0000000000000000000000000000000000000000', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'],
  ])('%s is %s', (hex, address) => expect(tronAddressFromHex(hex)).toBe(address));

  it('makes a valid address of any 20 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
        const address = tronAddressFromHex(Buffer.from(bytes).toString('hex'));
        expect(parseAddress('tron', address)).toBe(address);
      }),
    );
  });

  it('refuses the form with a leading 41', () => {
    expect(() => tronAddressFromHex('41a614f803b6fd780986a42c78ec9c7f77e6ded13c')).toThrow(TypeError);
  });
});
