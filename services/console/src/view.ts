import { type Described, exposureView, groundsView } from '@weir/service-kit';
import { z } from 'zod';

const time = z.iso.datetime();
const count = z.int().min(0);
const amount = z.string().describe('Decimal.');

export const personView = z.strictObject({ id: z.string().describe('Role and id of the token.'), name: z.string() }).meta({ id: 'Person' });

/** A transfer as posted. */
export const transferView = z
  .strictObject({
    deposit_id: z.string().exactOptional().describe('Of a deposit.'),
    withdrawal_id: z.string().exactOptional().describe('Of a withdrawal.'),
    chain: z.string(),
    coin: z.string(),
    txid: z.string().nullable(),
    from_address: z.string().nullable(),
    to_address: z.string(),
    amount,
    usd_value: amount.nullable().describe('As declared; null: unknown.'),
    user_id: z.string().nullable(),
    memo: z.string().exactOptional().meta({ description: 'Destination tag, memo or comment; absent when there is none.' }),
    detected_at: time.exactOptional().describe('Of a deposit.'),
    requested_at: time.exactOptional().describe('Of a withdrawal.'),
  })
  .meta({ id: 'Transfer' });
export type TransferView = Described<typeof transferView>;

const outcome = z.enum(['SCORED', 'NO_DATA', 'UNAVAILABLE', 'UNSUPPORTED', 'INVALID']);
const score = z.number().exactOptional().describe('Absent where the outcome has none.');
export const riskLevel = z.enum(['Low', 'Moderate', 'High', 'Severe']);
const evidence = z.string().nullable().describe('SHA-256 (hex) of the stored answer.');
const subjectType = z.enum(['txid', 'address']);

/** One question to the risk API and its answer. */
const questionView = z.strictObject({
  subject: z.string(),
  subject_type: subjectType,
  outcome,
  score,
  risk_level: riskLevel.exactOptional(),
  evidence_sha256: evidence,
});
export type QuestionView = Described<typeof questionView>;

export const resultView = z
  .strictObject({
    outcome,
    score,
    risk_level: riskLevel.exactOptional().describe('Absent where the outcome has none.'),
    reasons: z.array(z.string()).describe('Reason codes of an outcome without a level.'),
    detail_list: z.array(z.string()),
    risk_detail: z.array(exposureView),
    grounds: groundsView.exactOptional().describe('Of one screening. Absent in lists, and where the stored answer does not say.'),
    address_label: z.string(),
    hacking_event: z.string(),
    scanned_ts: z.number().nullable().describe('Unix seconds, from the risk API.'),
    provider: z.string(),
    evidence_sha256: evidence,
    scored_at: time
      .exactOptional()
      .describe("When the risk API's answer was read, else when the result was made. Absent in rows of older versions."),
    reused: z.boolean().exactOptional().describe('Whether the answer existed before this screening asked.'),
    reported_at: time.exactOptional().describe('When this screening received the result. If absent, scored_at applies.'),
    questions: z
      .array(questionView)
      .exactOptional()
      .describe('If the risk API does not know the transaction: the question about it, then the one about the counterparty.'),
  })
  .meta({ id: 'Result' });
export type ResultView = Described<typeof resultView>;

/** A result in short: the latest is whole in `result`. */
const summaryOfResult = z
  .strictObject({
    outcome,
    score: z.number().nullable(),
    risk_level: riskLevel.nullable(),
    provider: z.string(),
    reported_at: time.nullable().describe('When this screening received it.'),
  })
  .meta({ id: 'ResultSummary' });
export type SummaryOfResult = Described<typeof summaryOfResult>;

export const action = z.enum(['block', 'review', 'allow']);

export const decisionView = z
  .strictObject({
    revision: z.int().min(1),
    action,
    reason_codes: z.array(z.string()),
    rule: z.string().nullable().describe("The policy's rule that made it; null: its table, or people."),
    policy_hash: z.string(),
    decided_at: time,
    supersedes: z.int().nullable().describe('The revision before.'),
    resolution_id: z.string().nullable().describe("The people's resolution behind it; null for a decision by the policy."),
  })
  .meta({ id: 'Decision' });
export type DecisionView = Described<typeof decisionView>;

const screeningStatus = z
  .enum(['open', 'allowed', 'held', 'blocked'])
  .describe('open: there is no decision yet; else by the latest revision.');
export type ScreeningStatus = z.output<typeof screeningStatus>;

export const screeningView = z
  .strictObject({
    screening_id: z.guid(),
    kind: z.enum(['deposit', 'withdrawal']),
    status: screeningStatus,
    transfer: transferView,
    subject: z.string().nullable().describe('The address or transaction that is scored; null until the request is read.'),
    subject_type: subjectType.nullable(),
    direction: z.enum(['deposit', 'withdraw']).nullable(),
    result: resultView.nullable().describe('The latest; null before the first.'),
    results: z
      .array(summaryOfResult)
      .exactOptional()
      .describe('Of one screening: every result, the first one first. Absent in lists. Of rows of older versions it has the latest.'),
    decisions: z.array(decisionView).describe('By revision.'),
    requested_at: time,
    deadline_at: time.nullable(),
    erased: z.literal(true).exactOptional().describe('Personal data was erased: ids, addresses, amounts, customer and findings are empty.'),
    audit: z
      .array(z.strictObject({ event_id: z.guid(), index: count.describe('From 0.') }))
      .describe('Where its events are in the audit log.'),
  })
  .meta({ id: 'Screening' });
export type ScreeningView = Described<typeof screeningView>;

/** A page of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    next_cursor: z.string().nullable().describe('Null on the last page. Any other page may be short, or empty.'),
  });
}
