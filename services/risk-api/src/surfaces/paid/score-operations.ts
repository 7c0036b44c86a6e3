import { Failure } from '../../failure.ts';
import { succeeded } from '../../http/envelope.ts';
import * as examples from '../../http/examples.ts';
import { subjectOf } from '../../http/parameters.ts';
import { scoreV2Data } from '../../http/result.ts';
import * as answers from '../../http/schemas/answers.ts';
import { paidTarget, paidTask } from '../../http/schemas/requests.ts';
import type { Subject } from '../../subject.ts';
import { reportOf, targetRefusals } from '../standard/scores.ts';
import { type PaidOperation, type PaidParts, paidOperation } from './paid-operation.ts';

const request = examples.addressRequest;
const { succeededWith } = answers;

export function riskScoreOperation({ tasks, reportUrl }: PaidParts): PaidOperation {
  return paidOperation({
    method: 'GET',
    price: 'risk_score',
    summary: 'Risk score of an address or a transaction with its exposures and a report.',
    description:
      'Of address and txid one is needed; with both the transaction is scored. A score that does not come in time is ServiceUnavailable and not charged.',
    request: paidTarget,
    answer: succeededWith(answers.scoreV2),
    example: { request, answer: examples.scoreV2Example },
    refusals: targetRefusals,
    read: (asked) => ({ coin: asked.coin, subject: target(asked) }),
    run: async ({ coin, subject }, { signal, origin }) => {
      const score = await tasks.score(subject, signal);
      if (score === undefined) throw new Failure('ServiceUnavailable');
      return { body: succeeded(scoreV2Data(score.result, await reportOf(reportUrl, subject, coin, score.scannedAt, origin))) };
    },
  });
}

export function createTaskOperation({ tasks }: PaidParts): PaidOperation {
  return paidOperation({
    method: 'POST',
    price: 'risk_score_create_task',
    summary: 'Starts the risk score of an address or a transaction.',
    description:
      'It starts when the payment is settled. The header Location has an address that nobody can guess, at which the result is polled free of charge. A txid beside the address is what is scored.',
    request: paidTask,
    answer: succeededWith(answers.createdV2),
    example: { request, answer: examples.createdV2Example },
    refusals: targetRefusals,
    read: target,
    run: async (subject) => ({ body: succeeded(await tasks.known(subject)), task: subject }),
  });
}

/** A transaction takes precedence over an address: paid calls never reject the pair. */
function target(asked: { coin: string; address?: string | undefined; txid?: string | undefined }): Subject {
  return subjectOf({ coin: asked.coin, ...(asked.txid === undefined ? { address: asked.address } : { txid: asked.txid }) });
}
