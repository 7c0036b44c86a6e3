import { type Described, exposureView, groundsView } from '@weir/service-kit';
import { z } from 'zod';

const count = z.int().min(0);
const usd = z.number().describe('USD.');
const time = z.iso.datetime();

export const analysableView = z
  .strictObject({ chain: z.string(), coin: z.string().describe('Its native coin.') })
  .meta({ id: 'AnalysableChain' });

export const analysedScoreView = z
  .discriminatedUnion('state', [
    z.strictObject({ state: z.literal('running'), task_id: z.string() }),
    z.strictObject({
      state: z.literal('done'),
      outcome: z.enum(['SCORED', 'NO_DATA']),
      score: z.number().nullable().describe('Null without data.'),
      risk_level: z.enum(['Low', 'Moderate', 'High', 'Severe']).nullable(),
      detail_list: z.array(z.string()),
      risk_detail: z.array(exposureView),
      grounds: groundsView.nullable().describe('Null: the provider does not say.'),
      illicit_usd: z.number().nullable().describe('USD of illicit money that the address received; null: the provider does not say.'),
      address_label: z.string().describe('Empty: none.'),
      hacking_event: z.string().describe('Empty: none.'),
      scanned_at: time.nullable(),
      provider: z.string(),
    }),
  ])
  .meta({ id: 'AnalysedScore' });

const shareView = z.strictObject({ name: z.string(), amount: usd, percent: z.number() });
const actionView = z.strictObject({ action: z.string(), count, percent: z.number() });

export const profileView = z
  .strictObject({
    labels: z.array(z.string()).nullable().describe('Null, as of other parts: the provider did not answer.'),
    label_type: z.enum(['exchange', 'defi', 'mixer', 'nft', '']).nullable().describe('Empty: unclassified.'),
    overview: z
      .strictObject({
        balance: z.number().describe('In the native coin, like the other amounts; negative when incoming transfers are unknown.'),
        total_received: z.number(),
        total_spent: z.number(),
        received_txs: count,
        spent_txs: count,
        first_seen_at: time.nullable(),
        last_seen_at: time.nullable(),
      })
      .nullable()
      .describe('Null, too: the provider has no such answer.'),
    counterparties: z.array(shareView).nullable().describe('By entity, the largest first.'),
    received: z.array(actionView).nullable().describe('What brought its money.'),
    spent: z.array(actionView).nullable().describe('What its money was used for.'),
  })
  .meta({ id: 'AddressProfile' });

const partyView = z.strictObject({
  side: z.enum(['in', 'out']),
  address: z.string(),
  kind: z.enum(['plain', 'malicious', 'entity', 'contract']),
  label: z.string().describe('Empty: none.'),
  amount: z.number().describe('In the coin, of all its transfers on this page.'),
  txids: z.array(z.string()),
});

export const partiesView = z
  .strictObject({ items: z.array(partyView), page: z.int().min(1), total_pages: count })
  .meta({ id: 'AddressTransfers' });

const byMethod = z.strictObject({
  haircut: z.number().exactOptional(),
  fifo: z.number().exactOptional(),
  poison: z.number().exactOptional(),
});
const tracedHopView = z.strictObject({
  txid: z.string(),
  time: z.string(),
  coin: z.string(),
  amount: z.string().nullable(),
  usd: z.number().nullable(),
  from: z.string(),
  to: z.string(),
  traced: z.number().describe('The part of it that is traced.'),
  coin_join: z.boolean(),
});
const endView = z.strictObject({
  kind: z.string().describe('Such as service, held or hub.'),
  entity: z.string().describe('Empty: unknown.'),
  category: z.string(),
  address: z.string(),
  addresses: count,
  value: byMethod,
  hops: count,
  path: z.array(tracedHopView).describe('In the order of time.'),
});

export const addressTraceView = z
  .strictObject({
    direction: z.enum(['forward', 'backward']),
    unit: z.string().describe('Of all values: USD, or a coin.'),
    value: z.number().describe('What was traced.'),
    transfers: count,
    read: z.strictObject({ addresses: count, transfers: count }),
    ends: z.array(endView).describe('Where it went or came from, the largest first.'),
    others: z.strictObject({ ends: count, value: byMethod }).describe('Further ends.'),
    not_followed: z.strictObject({ addresses: count, value: byMethod }).describe('Money that was not followed to an end.'),
  })
  .meta({ id: 'AddressTrace' });

const address = '0x098b716b8aaf21512996dc57eb0615e2383e2f96';
const other = '0x28c6c06298d514db089934071355e5743bf21d60';
const txid = `0x${'1'.repeat(64)}`;

export const exampleChain: Described<typeof analysableView> = { chain: 'ethereum', coin: 'ETH' };

export const exampleScore: Described<typeof analysedScoreView> = {
  state: 'done',
  outcome: 'SCORED',
  score: 100,
  risk_level: 'Severe',
  detail_list: ['Sanctioned Entity'],
  risk_detail: [
    {
      entity: 'Lazarus Group',
      risk_type: 'sanctioned_entity',
      exposure_type: 'direct',
      hop_num: 1,
      volume: 1200,
      percent: 100,
      side: 'in',
      counterparty: address,
      path: [],
    },
  ],
  grounds: {
    contributions: [
      { key: 'base', points: 3 },
      { key: 'in:direct:sanctioned', points: 97 },
    ],
    counterfactuals: [{ without: 'in:direct:sanctioned', score: 3, risk_level: 'Low' }],
  },
  illicit_usd: 1200,
  address_label: '',
  hacking_event: '',
  scanned_at: '2026-01-31T09:12:24.000Z',
  provider: 'risk.example',
};

export const exampleProfile: Described<typeof profileView> = {
  labels: ['Lazarus Group'],
  label_type: '',
  overview: {
    balance: 1.5,
    total_received: 10,
    total_spent: 8.5,
    received_txs: 3,
    spent_txs: 2,
    first_seen_at: '2026-01-01T00:00:00.000Z',
    last_seen_at: '2026-01-31T09:12:23.000Z',
  },
  counterparties: [{ name: 'Some Exchange', amount: 1500, percent: 100 }],
  received: [{ action: 'Exchange', count: 3, percent: 100 }],
  spent: [{ action: 'Mixer', count: 2, percent: 100 }],
};

export const exampleParties: Described<typeof partiesView> = {
  items: [{ side: 'in', address: other, kind: 'entity', label: 'Some Exchange', amount: 1.5, txids: [txid] }],
  page: 1,
  total_pages: 1,
};

export const exampleTrace: Described<typeof addressTraceView> = {
  direction: 'forward',
  unit: 'USD',
  value: 1500,
  transfers: 1,
  read: { addresses: 2, transfers: 1 },
  ends: [
    {
      kind: 'service',
      entity: 'Some Exchange',
      category: 'exchange',
      address: other,
      addresses: 1,
      value: { haircut: 1500 },
      hops: 1,
      path: [
        {
          txid,
          time: '2026-01-31T09:12:23.000Z',
          coin: 'ETH',
          amount: '0.5',
          usd: 1500,
          from: address,
          to: other,
          traced: 1500,
          coin_join: false,
        },
      ],
    },
  ],
  others: { ends: 0, value: { haircut: 0 } },
  not_followed: { addresses: 0, value: { haircut: 0 } },
};
