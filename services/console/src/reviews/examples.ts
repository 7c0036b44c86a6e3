import { exampleAttachment } from '../attachments/view.ts';
import { exampleDecision, exampleResult, exampleScreeningId, exampleTransfer } from '../examples.ts';
import type { ResolutionView, ReviewDetail, ReviewView } from './view.ts';

/** Examples of the description. Tests check each against its schema. */
const exampleResolution: ResolutionView = {
  resolution_id: '7d0a6d0c-4f0e-5f3b-8a53-0f3f5d9a1c22',
  revision: 1,
  action: 'allow',
  reason: 'The sender proved the source of the money.',
  state: 'pending_approval',
  resolved_by: { id: 'reviewer:1f2e3d4c5b6a7980', name: 'Reviewer' },
  resolved_at: '2026-01-31T10:00:00.000Z',
  needs_approval: true,
  answered_by: null,
  answer_reason: null,
  answered_at: null,
};

export const exampleReview: ReviewView = {
  screening_id: exampleScreeningId,
  kind: 'deposit',
  state: 'pending_approval',
  revision: 1,
  action: 'review',
  reason_codes: ['LEVEL_HIGH'],
  transfer: exampleTransfer,
  subject: exampleTransfer.txid,
  result: exampleResult,
  late_result: false,
  adverse_update: false,
  requested_at: '2026-01-31T09:12:23.000Z',
  held_since: '2026-01-31T09:12:24.100Z',
  held_seconds: 2_856,
  assignee: null,
  due_at: null,
  overdue: false,
  resolution: exampleResolution,
};

export const exampleReviewDetail: ReviewDetail = {
  ...exampleReview,
  decisions: [exampleDecision],
  resolutions: [exampleResolution],
  notes: [],
  plan_changes: [{ field: 'assignee', value: null, changed_by: exampleResolution.resolved_by, changed_at: '2026-01-31T09:50:00.000Z' }],
  attachments: [exampleAttachment],
  case_id: '0b7e3a52-5d0c-4a55-9a0e-6a6d1d0f3c11',
};
