import { describe, expect, it } from 'vitest';
import { isOtherForm } from './address-forms.ts';

describe('other forms of an address', () => {
  it.each([
    ['ethereum', 'vitalik.eth'],
    ['base', 'pay.some-shop.eth'],
    ['ethereum', 'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS'],
    ['tron', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'],
    ['tron', '0x41A614F803B6FD780986A42C78EC9C7F77E6DED13C'],
    ['bitcoin', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
    ['bitcoin', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
    ['bitcoin', '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc'],
    ['bitcoin', '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'],
  ] as const)('of %s: %s', (chain, text) => {
    expect(isOtherForm(chain, text)).toBe(true);
  });

  it.each([
    ['ethereum', 'TU4tDFRvcKhAZ1jdihojmBWZqvJhQCnJ4F'],
    ['ethereum', '0x28C6c06298d514Db089934071355E5743bf21d6'],
    ['ethereum', '.eth'],
    ['tron', '0x28C6c06298d514Db089934071355E5743bf21d60'],
    ['bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
    ['bitcoin', 'nonsense'],
    ['tron', ''],
  ] as const)('none of %s: %j', (chain, text) => {
    expect(isOtherForm(chain, text)).toBe(false);
  });
});
