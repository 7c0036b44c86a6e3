import type { Clock } from '@weir/clock';
import { meaningOf, type QueryAnswer } from '@weir/risk-client';
import type { NotPaid, NotPaidCode, Paid, Payment, PayingClient } from '@weir/risk-client/pay';
import { type Answer, answerOf, without } from '../ask.ts';
import type { Question } from '../question.ts';
import type { Journal } from './journal.ts';

export type PaidScreening = Answer & { readonly payment: Payment | null };

export interface PaidAskOptions {
  /** Its `onSigned` writes the claim to the journal, under the current question. */
  readonly client: PayingClient;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly maxAgeMs: number;
  readonly signal: AbortSignal;
}

/** Identifies a payment by its score: a transaction's side and the policy's inputs are not part of it. */
function paidFor({ coin, address, txid }: Question): string {
  return JSON.stringify({ coin, ...(address !== null ? { address } : { txid }) });
}

/** Gets one score and pays for it once: it first redeems a payment that an earlier run has, or may have, made. */
export async function askPaid(options: PaidAskOptions, question: Question): Promise<PaidScreening> {
  if (question.txid !== null && question.direction === 'withdraw')
    return { ...without('INVALID', ['INVALID_TRANSFER'], 'a paid call knows the senders of a transaction only'), payment: null };
  const { journal, client, signal } = options;
  const earlier = journal.take(paidFor(question));
  if (earlier !== undefined) {
    const again = (await client.resume(earlier, signal)) as Paid<QueryAnswer>;
    if (!isCode(again.answer, 'EXPIRED_UNUSED')) return screeningOf(options, again);
    journal.closed(earlier);
  }
  const { coin, address, txid } = question;
  return screeningOf(options, await client.riskScore({ coin, ...(address !== null ? { address } : { txid: txid ?? '' }) }, signal));
}

function screeningOf(options: PaidAskOptions, { answer, payment }: Paid<QueryAnswer>): PaidScreening {
  // A second payment is not the program's decision.
  if (answer.kind === 'not_paid' && answer.code === 'REFUSED' && payment?.state === 'settled')
    return { ...without('UNAVAILABLE', ['UPSTREAM_REJECTED'], 'it is paid, and the API no longer keeps the answer'), payment };
  return { ...readAnswer(answer, options), payment };
}

function readAnswer(answer: Paid<QueryAnswer>['answer'], { clock, maxAgeMs }: PaidAskOptions): Answer {
  if (answer.kind === 'not_paid') return afterNotPaid(answer);
  const meaning = meaningOf(answer, { now: clock.now(), maxAgeMs });
  switch (meaning.kind) {
    case 'final':
      return answerOf(meaning);
    case 'running':
    case 'task_lost':
      return without('UNAVAILABLE', ['UPSTREAM_UNREADABLE'], 'its answer belongs to another call');
    case 'retry':
    case 'limited':
      // A retry would be another payment, so there is none.
      return without(
        'UNAVAILABLE',
        [meaning.reason],
        meaning.detail,
        meaning.reason === 'BUDGET_EXHAUSTED' || meaning.reason === 'UPSTREAM_REJECTED',
      );
  }
}

const words: Readonly<Record<NotPaidCode, string>> = {
  OFFER_UNREADABLE: 'the API asks for a payment in a way that is not understood',
  OFFER_UNSUPPORTED: 'the API asks for a payment that this wallet does not make',
  RECEIVER_CHANGED: 'the API wants somebody else to be paid than before',
  CAP_OF_CALL: 'the API asks for more than the specified price',
  CAP_OF_ALL: '--max-usdc is reached',
  NOT_SIGNED: 'the wallet could not sign, or its payment could not be kept',
  REFUSED: 'the payment is refused',
  ID_CONFLICT: 'the id of the payment was used for something else',
  OUTCOME_UNKNOWN: 'the payment was sent and no answer came; the same again asks for it and pays nothing more',
  EXPIRED_UNUSED: 'the payment has expired and was not used',
};

function afterNotPaid({ code, detail }: NotPaid): Answer {
  const said = `${words[code]} (${detail})`;
  if (code === 'OUTCOME_UNKNOWN') return without('UNAVAILABLE', ['UPSTREAM_UNAVAILABLE'], said);
  // The next question would fail in the same way.
  return without('UNAVAILABLE', [code === 'CAP_OF_ALL' ? 'BUDGET_EXHAUSTED' : 'UPSTREAM_REJECTED'], said, true);
}

function isCode(answer: Paid<QueryAnswer>['answer'], code: NotPaidCode): boolean {
  return answer.kind === 'not_paid' && answer.code === code;
}
