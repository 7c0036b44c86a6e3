import type { Queryable } from '@weir/postgres';
import type { Watches } from '../../score-changes/watches.ts';
import { Failure, type FailureCode } from '../../failure.ts';
import { admitScored, type CachedScore, type Ticket } from '../../keys/admission.ts';
import type { Subject } from '../../subject.ts';
import { scannedTs, type Tasks } from '../../runs/tasks.ts';
import { succeeded } from '../../http/envelope.ts';
import { addressRequest, scoreV1Example, scoreV2Example, scoreV3Example } from '../../http/examples.ts';
import { type Operation, operation } from '../../http/operation.ts';
import type { Origin } from '../../http/origin.ts';
import { subjectOf } from '../../http/parameters.ts';
import type { ReportUrl } from '../../reports/query.ts';
import { scoreV1Data, scoreV2Data, scoreV3Data } from '../../http/result.ts';
import { scoreV1, scoreV2, scoreV3, succeededWith } from '../../http/schemas/answers.ts';
import { directedTarget, targetQuery } from '../../http/schemas/requests.ts';

export interface ScoreParts {
  readonly tasks: Tasks;
  readonly watches: Watches;
  readonly reportUrl: ReportUrl;
}

export const targetRefusals: readonly FailureCode[] = ['InvalidParameter', 'UnsupportedToken', 'InvalidAddress', 'UnsupportedAddressType'];

/** Of a call that the specification does not have. */
export const addition = 'Addition: published clients of the vendor call it.';

const waits = 'Waits for a score that has to be computed; one that does not come in time, or cannot be computed, is ServiceUnavailable.';

export function scoreOperations({ tasks, watches, reportUrl }: ScoreParts): Operation[] {
  const find = (db: Queryable, ticket: Ticket, { subject }: { subject: Subject }): Promise<CachedScore | undefined> =>
    admitScored(db, ticket, subject, { since: tasks.freshSince(), ...watches.moment() });
  const scoreOf = async (subject: Subject, signal: AbortSignal, found: CachedScore | undefined): Promise<CachedScore> => {
    const score = found ?? (await tasks.score(subject, signal));
    if (score === undefined) throw new Failure('ServiceUnavailable');
    return score;
  };
  return [
    operation({
      name: 'v1_risk_score',
      surface: 'standard',
      method: 'GET',
      path: '/v1/risk_score',
      summary: 'Risk score of an address or a transaction, oldest version.',
      description: waits,
      counted: true,
      request: targetQuery,
      answer: succeededWith(scoreV1),
      example: { request: addressRequest, answer: scoreV1Example },
      refusals: targetRefusals,
      read: (target) => ({ subject: subjectOf(target) }),
      find,
      run: async ({ subject }, { signal }, found) => succeeded(scoreV1Data((await scoreOf(subject, signal, found)).result)),
    }),
    operation({
      name: 'v2_risk_score',
      surface: 'standard',
      method: 'GET',
      path: '/v2/risk_score',
      summary: 'Risk score of an address or a transaction with its exposures and a report.',
      description: waits,
      counted: true,
      request: targetQuery,
      answer: succeededWith(scoreV2),
      example: { request: addressRequest, answer: scoreV2Example },
      refusals: targetRefusals,
      read: (target) => ({ coin: target.coin, subject: subjectOf(target) }),
      find,
      run: async ({ coin, subject }, { signal, origin }, found) => {
        const score = await scoreOf(subject, signal, found);
        return succeeded(scoreV2Data(score.result, await reportOf(reportUrl, subject, coin, score.scannedAt, origin)));
      },
    }),
    operation({
      name: 'v3_risk_score',
      surface: 'standard',
      method: 'GET',
      path: '/v3/risk_score',
      summary: 'Risk score of an address or a transaction, with the result of v3 at once.',
      description: `${addition} ${waits}`,
      counted: true,
      request: directedTarget,
      answer: succeededWith(scoreV3),
      example: { request: addressRequest, answer: scoreV3Example },
      refusals: targetRefusals,
      read: (target) => ({ coin: target.coin, subject: subjectOf(target) }),
      find,
      run: async ({ coin, subject }, { signal, origin }, found) => {
        const score = await scoreOf(subject, signal, found);
        return succeeded(scoreV3Data(score.result, await reportOf(reportUrl, subject, coin, score.scannedAt, origin)));
      },
    }),
  ];
}

export async function reportOf(reportUrl: ReportUrl, subject: Subject, coin: string, scannedAt: Date, origin: Origin): Promise<string> {
  const { chain, kind, value, direction } = subject;
  return origin === '' ? '' : reportUrl({ chain, kind, subject: value, direction, coin, scannedAt: scannedTs(scannedAt) }, origin);
}
