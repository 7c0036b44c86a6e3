import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayAddress, isNobody, parseAddress, tronAddressFromHex } from './index.ts';

const exploiter = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';

describe('EVM addresses', () => {
  // EIP-55's own vectors.
  it.each([
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('accepts and shows the EIP-55 vector %s', (vector) => {
    expect(parseAddress('ethereum', vector)).toBe(vector.toLowerCase());
    expect(displayAddress('ethereum', vector.toLowerCase())).toBe(vector);
  });

  it('accepts one case only, and refuses mixed case with a wrong checksum', () => {
    const lower = exploiter.toLowerCase();
    expect(parseAddress('bsc', lower)).toBe(lower);
    expect(parseAddress('base', `0x${lower.slice(2).toUpperCase()}`)).toBe(lower);
    expect(parseAddress('ethereum', exploiter.replace('B716B', 'b716B'))).toBeUndefined();
  });

  it.each([
    '',
    '0x',
    exploiter.slice(2),
    exploiter.slice(0, -1),
    `${exploiter}0`,
    exploiter.replace('0x', '0X'),
    ` ${exploiter}`,
    `${exploiter}\n`,
  ])('refuses %j', (text) => expect(parseAddress('ethereum', text)).toBeUndefined());

  it('gives back what it shows, whatever the 20 bytes', () => {
    const bytes = fc.uint8Array({ minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(bytes, (value) => {
        const normalised = `0x${Buffer.from(value).toString('hex')}`;
        expect(parseAddress('polygon', displayAddress('polygon', normalised))).toBe(normalised);
      }),
    );
  });
});

describe('nobody', () => {
  it.each([
    ['ethereum', '0x0000000000000000000000000000000000000000'],
    ['arbitrum', '0x000000000000000000000000000000000000dead'],
    ['tron', tronAddressFromHex('00'.repeat(20))],
    ['bitcoin', '1111111111111111111114oLvT2'],
    ['bitcoin', '1BitcoinEaterAddressDontSendf59kuE'],
  ] as const)('%s %s is an address and nobody', (chain, address) => {
    expect(parseAddress(chain, address)).toBe(address);
    expect(isNobody(chain, address)).toBe(true);
  });

  it('does not take a thief for nobody', () => {
    expect(isNobody('ethereum', exploiter.toLowerCase())).toBe(false);
    expect(isNobody('tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toBe(false);
  });
});

it.each([
  'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  'cosmos1gu6y2a0ffteesyeyeesk23082c6998xyzmt9mz',
  'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9',
])('an address of another chain, %s, is no account of NEAR', (text) => {
  expect(parseAddress('near', text)).toBeUndefined();
  expect(parseAddress('near', `${text.slice(0, -1)}x`)).toBeDefined();
});
