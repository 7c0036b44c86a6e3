/** The tests check each against its call's schema. */

const exampleAddress = '0x28C6c06298d514Db089934071355E5743bf21d60';
const exampleTask = '5f0c4e1b2a3d49688b7c6d5e4f3a2b1c';

export const addressRequest = { coin: 'ETH', address: exampleAddress };
export const taskRequest = { task_id: exampleTask };

const low = {
  score: 45,
  hacking_event: '',
  detail_list: ['Interact With High-risk Tag Address'],
  risk_level: 'Moderate',
  coverage: 'transfers',
};
const exposure = { entity: 'Tornado.Cash', risk_type: 'mixer', exposure_type: 'indirect', hop_num: 2, volume: 104500, percent: 14.42 };
const path = { '1': ['0x08723392ed15743cc38513c4925f5e6be5c17243'], '2': ['Tornado.Cash'] };
const risk_report_url = 'https://risk.example/v1/risk_report?access_token=eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl';

const envelope = (data: object) => ({ success: true, msg: '', data });

export const scoreV1Example = envelope({ ...low, level: 'medium' });
export const scoreV2TaskExample = envelope({ ...low, risk_detail: [exposure] });
export const scoreV2Example = envelope({ ...low, risk_detail: [exposure], risk_report_url });
const [mixer, mule] = ['0xd90e2f925da726b50c4ed8d0fb90ad053324f31b', '0x08723392ed15743cc38513c4925f5e6be5c17243'];
const transfer = { coin: 'ETH', amount: '30', usd: 104500 };
const sidedExposure = {
  ...exposure,
  hop_dic: path,
  side: 'in',
  side_percent: 26.79,
  counterparty: mule,
  sources: ['our own research'],
  path: [
    { ...transfer, txid: `0x${'1'.repeat(64)}`, time: '2026-01-30T09:12:23.000Z', from: mixer, to: mule },
    { ...transfer, txid: `0x${'2'.repeat(64)}`, time: '2026-01-30T11:40:11.000Z', from: mule, to: exampleAddress.toLowerCase() },
  ],
  path_left_out: 0,
};
const side = { coverage: 'transfers', counted: true, direct: 0, unread: 0.02, addresses: 12 };
export const scoreV3Example = envelope({
  ...low,
  risk_detail: [sidedExposure],
  address_label: '',
  contradictions: [],
  risk_report_url,
  illicit_usd: 0,
  bound: 0.02,
  contributions: [
    { key: 'base', points: 3 },
    { key: 'in:traced:mixer', points: 42 },
  ],
  counterfactuals: [{ without: 'in:traced:mixer', score: 3, risk_level: 'Low' }],
  sides: {
    in: { ...side, transfers: 15, usd: 390000, score: 45, upper_score: 46, traced: 0.2679 },
    out: { ...side, transfers: 4, usd: 334700, score: 3, upper_score: 3, traced: 0 },
  },
});

const created = { has_result: false, scanned_ts: 0 };
export const createdV2Example = envelope(created);
export const createdV3Example = envelope({ ...created, task_id: exampleTask });

export const labelsExample = envelope({ label_list: ['Binance', 'Exchange'], label_type: 'exchange' });
export const counterpartiesExample = {
  success: true,
  msg: '',
  address_counterparty_list: [
    { name: 'Binance', amount: 90210.5, percent: 74.12 },
    { name: 'Unknown', amount: 31500, percent: 25.88 },
  ],
};
export const actionsExample = envelope({
  received_txs: [
    { action: 'Exchange', count: 12, proportion: 80.5 },
    { action: 'Transfer', count: 3, proportion: 19.5 },
  ],
  spent_txs: [{ action: 'DEX', count: 4, proportion: 100 }],
});
export const investigationExample = envelope({
  in: [
    {
      address: exampleAddress,
      type: 3,
      tx_hash_list: ['0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94'],
      amount: 12.5,
      label: 'Binance',
    },
  ],
  out: [],
  page: 1,
  total_pages: 1,
  transactions_on_page: 1,
});
export const overviewExample = envelope({
  balance: 0.75,
  txs_count: 5,
  first_seen: 1735692000,
  last_seen: 1735692240,
  total_received: 1,
  total_spent: 0.25,
  received_txs_count: 3,
  spent_txs_count: 2,
});
export const changesRequest = { after: 'AAAAAAAAACk', limit: 500 };
export const changesExample = envelope({
  items: [
    {
      chain: 'ethereum',
      subject_type: 'address',
      subject: exampleAddress.toLowerCase(),
      direction: 'deposit',
      cause: 'label',
      changed_at: 1735692240,
    },
  ],
  next_cursor: 'AAAAAAAAACo',
  more: false,
});
export const priceRequest = { coin: 'ETH', day: '2026-01-31' };
export const priceExample = envelope({ coin: 'ETH', usd: '2000.5', day: '2026-01-30' });
