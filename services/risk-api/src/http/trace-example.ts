import { addressRequest } from './examples.ts';

const none = (name: string) => ({ count: 0, [`${name}_list`]: [] });
const thief = addressRequest.address.toLowerCase();
const [wallet, exchange] = ['0x08723392ed15743cc38513c4925f5e6be5c17243', '0x21a31ee1afc51d94c2efccaa2092ad1028285549'];

export const traceRequest = { ...addressRequest, direction: 'forward' };

/** Of 1,000,000 USD stolen 400,000 are at an exchange; the rest is still in a wallet. The test checks it against the schema. */
export const traceExample = {
  success: true,
  msg: '',
  data: {
    first_address: 'Binance',
    use_platform: { exchange: { count: 1, exchange_list: ['Binance'] }, dex: none('dex'), mixer: none('mixer'), nft: none('nft') },
    malicious_event: { phishing: none('phishing'), ransom: none('ransom'), stealing: none('stealing'), laundering: none('laundering') },
    relation_info: { wallet: none('wallet'), ens: none('ens'), twitter: none('twitter') },
    trace: {
      direction: 'forward',
      unit: 'USD',
      value: 1_000_000,
      transfers: 1,
      unvalued_transfers: 0,
      unlisted_transfers: 0,
      read: { addresses: 1, transfers: 3 },
      terminals: [
        {
          kind: 'held',
          entity: '',
          category: '',
          address: wallet,
          addresses: 1,
          value: { haircut: 600_000, fifo: 500_000, poison: 600_000 },
          hops: 1,
          method: 'haircut',
          path_value: 600_000,
          path: [hop('1', '2026-01-30T09:12:23.000Z', '500', 1_000_000, 1_000_000, thief, wallet)],
        },
        {
          kind: 'service',
          entity: 'Binance',
          category: 'exchange',
          address: exchange,
          addresses: 1,
          value: { haircut: 400_000, fifo: 500_000, poison: 500_000 },
          hops: 2,
          method: 'haircut',
          path_value: 400_000,
          path: [
            hop('1', '2026-01-30T09:12:23.000Z', '500', 1_000_000, 1_000_000, thief, wallet),
            hop('2', '2026-01-30T11:40:11.000Z', '250', 500_000, 400_000, wallet, exchange),
          ],
        },
      ],
      others: { terminals: 0, value: { haircut: 0, fifo: 0, poison: 0 } },
      not_followed: { addresses: 0, value: { haircut: 0, fifo: 0, poison: 0 } },
      bound: { haircut: 0, fifo: 0 },
    },
  },
};

function hop(digit: string, time: string, amount: string, usd: number, traced: number, from: string, to: string) {
  return { txid: `0x${digit.repeat(64)}`, time, coin: 'ETH', amount, usd, traced, from, to };
}
