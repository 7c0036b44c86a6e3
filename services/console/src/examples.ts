import type { DecisionView, ResultView, ScreeningView, TransferView } from './view.ts';

/** Examples of the description. Tests check each against its schema. */
export const exampleScreeningId = '5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10';

export const exampleTransfer: TransferView = {
  deposit_id: 'd-1',
  chain: 'ethereum',
  coin: 'ETH',
  txid: '0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94',
  from_address: '0xd90e2f925da726b50c4ed8d0fb90ad053324f31b',
  to_address: '0x28c6c06298d514db089934071355e5743bf21d60',
  amount: '1.5',
  usd_value: null,
  user_id: 'u-1',
  detected_at: '2026-01-31T09:12:23.000Z',
};

export const exampleResult: ResultView = {
  outcome: 'SCORED',
  score: 80,
  risk_level: 'High',
  reasons: [],
  detail_list: ['Mixer'],
  risk_detail: [
    {
      entity: 'Tornado.Cash',
      risk_type: 'mixer',
      exposure_type: 'direct',
      hop_num: 1,
      volume: 3000,
      percent: 40,
      side: 'in',
      counterparty: '0xd90e2f925da726b50c4ed8d0fb90ad053324f31b',
      path: [
        {
          txid: '0x0d5a1f3c7e9b2d4f6a8c0e1b3d5f7a9c2e4b6d8f0a1c3e5b7d9f1a3c5e7b9d0f',
          time: '2026-01-30T22:41:11.000Z',
          coin: 'ETH',
          amount: '1',
          usd: 3000,
          from: '0xd90e2f925da726b50c4ed8d0fb90ad053324f31b',
          to: '0x098b716b8aaf21512996dc57eb0615e2383e2f96',
        },
      ],
    },
  ],
  address_label: '',
  hacking_event: '',
  scanned_ts: 1769850743,
  provider: 'risk.example',
  evidence_sha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
  scored_at: '2026-01-31T09:12:24.000Z',
  reused: false,
};

export const exampleDecision: DecisionView = {
  revision: 1,
  action: 'review',
  reason_codes: ['LEVEL_HIGH'],
  rule: null,
  policy_hash: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
  decided_at: '2026-01-31T09:12:24.100Z',
  supersedes: null,
  resolution_id: null,
};

export const exampleScreening: ScreeningView = {
  screening_id: exampleScreeningId,
  kind: 'deposit',
  status: 'held',
  transfer: exampleTransfer,
  subject: '0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94',
  subject_type: 'txid',
  direction: 'deposit',
  result: exampleResult,
  decisions: [exampleDecision],
  requested_at: '2026-01-31T09:12:23.000Z',
  deadline_at: '2026-01-31T09:22:23.000Z',
  audit: [{ event_id: '16fd2706-8baf-533b-a82b-bb81c2b3ee25', index: 41 }],
};
