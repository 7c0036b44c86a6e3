import { exampleAttachment } from '../attachments/view.ts';
import { exampleScreening, exampleTransfer } from '../examples.ts';
import type { CaseDetail, CaseView } from './view.ts';

/** Examples of the description. Tests check each against its schema. */
export const exampleCaseId = '0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11';

export const exampleCase: CaseView = {
  case_id: exampleCaseId,
  state: 'open',
  opened_at: '2026-01-31T09:12:25.000Z',
  keys: ['user:u-1', 'counterparty:0xd90e2f925da726b50c4ed8d0fb90ad053324f31b', 'entity:Tornado.Cash'],
  holds: 1,
  waiting: 1,
  usd: '0',
  unknown_usd: 1,
  assignee: 'Reviewer',
  due_at: '2026-02-01T09:12:25.000Z',
  escalated_at: null,
  outcome: null,
  outcome_reason: null,
  outcome_by: null,
  outcome_at: null,
};

export const exampleCaseDetail: CaseDetail = {
  ...exampleCase,
  screenings: [
    {
      screening_id: exampleScreening.screening_id,
      kind: 'deposit',
      action: 'review',
      level: 'High',
      coin: exampleTransfer.coin,
      amount: exampleTransfer.amount,
      usd_value: null,
      user_id: exampleTransfer.user_id,
      counterparty: exampleTransfer.from_address,
      requested_at: exampleScreening.requested_at,
      added_at: '2026-01-31T09:12:25.000Z',
    },
  ],
  notes: [],
  attachments: [exampleAttachment],
};
