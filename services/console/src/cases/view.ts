import type { Described } from '@weir/service-kit';
import { z } from 'zod';
import { attachmentView } from '../attachments/view.ts';
import { action, personView, riskLevel } from '../view.ts';

const time = z.iso.datetime();

export const caseOutcome = z.enum(['true_positive', 'false_positive', 'filed']).describe('filed: reported to the authority.');

const caseFields = {
  case_id: z.guid(),
  state: z.enum(['open', 'closed']).describe('closed: it has an outcome. Further related holds open another case.'),
  opened_at: time,
  keys: z
    .array(z.string())
    .describe(
      'What related holds share with the first one: user:, counterparty:, rescreened: (the subject) or entity:, each with its value.',
    ),
  holds: z.int().min(0).describe('Screenings in it, at most 200.'),
  waiting: z.int().min(0).describe('Those that still wait for people.'),
  usd: z.string().nullable().describe('Sum of the declared values, decimal; null where none is known.'),
  unknown_usd: z.int().min(0).describe('Screenings whose value is unknown; they are not in the sum.'),
  assignee: z.string().nullable(),
  due_at: time.nullable(),
  escalated_at: time.nullable().describe('When it was found open past its due time.'),
  outcome: caseOutcome.nullable(),
  outcome_reason: z.string().nullable(),
  outcome_by: personView.nullable(),
  outcome_at: time.nullable(),
};

export const caseView = z.strictObject(caseFields).meta({ id: 'Case' });
export type CaseView = Described<typeof caseView>;

const caseScreening = z.strictObject({
  screening_id: z.guid(),
  kind: z.enum(['deposit', 'withdrawal']),
  action: action.nullable(),
  level: riskLevel.nullable(),
  coin: z.string(),
  amount: z.string(),
  usd_value: z.string().nullable(),
  user_id: z.string().nullable(),
  counterparty: z.string().nullable(),
  requested_at: time,
  added_at: time,
});
const caseNote = z.strictObject({ note_id: z.guid(), text: z.string(), written_by: personView, written_at: time });

/** Notes and attachments: latest first. */
export const caseDetail = z
  .strictObject({
    ...caseFields,
    screenings: z.array(caseScreening).describe('Oldest first.'),
    notes: z.array(caseNote),
    attachments: z.array(attachmentView),
  })
  .meta({ id: 'CaseDetail' });
export type CaseDetail = Described<typeof caseDetail>;
