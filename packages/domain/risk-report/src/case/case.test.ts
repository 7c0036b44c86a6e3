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
      resolutions: [],
      notes: [],
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
