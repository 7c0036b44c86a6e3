import { beforeAll, expect, test } from 'vitest';
import { renderCase } from '../index.ts';
import { readPdf } from '../testing.ts';
import type { CaseReport } from './case.ts';

const time = '2026-01-31T09:12:23.000Z';
const id = '16fd2706-8baf-533b-a82b-bb81c2b3ee25';

/** A held deposit whose case has as many holds. */
function caseOf(holds: number): CaseReport {
  const screening = {
    screening_id: id,
    kind: 'deposit',
    action: 'review',
    level: 'High',
    coin: 'ETH',
    amount: '12345.678901',
    usd_value: '7522610.91',
    counterparty: `0x${'1'.repeat(40)}`,
    requested_at: time,
  };
  return {
    version: '1.2.3',
    made_at: time,
    screening: {
      screening_id: id,
      kind: 'deposit',
      status: 'held',
      transfer: { deposit_id: 'd-1', coin: 'ETH', amount: '12345.678901', usd_value: '7522610.91', memo: null, detected_at: time },
      subject: null,
      subject_type: null,
      result: null,
      decisions: [],
      requested_at: time,
      deadline_at: null,
    },
    review: {
      state: 'open',
      assignee: null,
      due_at: null,
      plan_changes: [],
      resolutions: [],
      notes: [],
      attachments: [],
    },
    related: {
      case_id: id,
      keys: ['user:u-1'],
      holds,
      usd: '10345593.5',
      unknown_usd: 0,
      assignee: null,
      due_at: null,
      escalated_at: null,
      outcome: null,
      outcome_reason: null,
      outcome_by: null,
      outcome_at: null,
      screenings: Array.from({ length: holds }, () => screening),
      notes: [],
      attachments: [],
    },
  };
}

let text: string;
beforeAll(async () => {
  ({ text } = await readPdf(await renderCase(caseOf(1))));
});

test('sums and amounts have all their digits, in groups', () => {
  expect(text).toContain('Amount 12,345.678901');
  expect(text).toContain('Declared USD 7,522,610.91');
  expect(text).toContain('Holds 1, declared USD 10,345,593.5');
});

test('what is unknown says so', () => {
  expect(text).toContain('Memo unknown');
  expect(text).toContain('There is no result yet.');
});

test('a result says what its score is made of, what would change the level, and whose labels name an entity', async () => {
  const report = caseOf(1);
  const result = {
    outcome: 'SCORED',
    score: 87,
    risk_level: 'High',
    reasons: [],
    detail_list: [],
    risk_detail: [
      {
        entity: 'Some Thief',
        risk_type: 'illicit_activity',
        exposure_type: 'indirect',
        hop_num: 2,
        volume: 1_200,
        percent: 50,
        sources: ['OFAC SDN', 'our own research'],
      },
    ],
    grounds: {
      contributions: [
        { key: 'base', points: 3 },
        { key: 'in:traced:theft', points: 84 },
      ],
      counterfactuals: [{ without: 'in:traced:theft', score: 3, risk_level: 'Low' }],
    },
    address_label: '',
    hacking_event: '',
    scanned_ts: null,
    provider: 'risk.example',
    evidence_sha256: null,
  };
  const made = await readPdf(await renderCase({ ...report, screening: { ...report.screening, result } }));
  const flat = made.text.replaceAll(/\s+/g, ' ');
  expect(flat).toContain('84.0 money that came through others from addresses labelled as stolen funds');
  expect(flat).toContain(
    'Without money that came through others from addresses labelled as stolen funds the level would be Low (score 3).',
  );
  expect(flat).toContain('Some Thief (labelled by OFAC SDN, our own research)');
});
