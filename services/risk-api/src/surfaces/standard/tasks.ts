import { nativeCoin } from '@weir/chains';
import { Failure } from '../../failure.ts';
import type { FinishedRun, Run } from '../../runs/runs.ts';
import type { Subject } from '../../subject.ts';
import type { CreatedTask } from '../../runs/tasks.ts';
import { succeeded, taskMessage } from '../../http/envelope.ts';
import {
  addressRequest,
  createdV2Example,
  createdV3Example,
  scoreV2TaskExample,
  scoreV3Example,
  taskRequest,
} from '../../http/examples.ts';
import { type Operation, operation } from '../../http/operation.ts';
import { subjectOf } from '../../http/parameters.ts';
import { scoreV2TaskData, scoreV3Data } from '../../http/result.ts';
import { createdV2, createdV3, queried, scoreV2Task, scoreV3, succeededWith } from '../../http/schemas/answers.ts';
import { directedTarget, targetQuery, taskQuery } from '../../http/schemas/requests.ts';
import { reportOf, type ScoreParts, targetRefusals } from './scores.ts';

const notCounted = 'Takes nothing from the limits of the key.';
const noCacheText = 'With the header Cache-Control: no-cache no kept result is taken: the score is computed anew.';
const failed = 'A score that could not be computed is ServiceUnavailable once, and is then computed again.';

/** Asynchronous scores: v2 by target, v3 by task id. */
export function taskOperations(parts: ScoreParts): Operation[] {
  return [...v2TaskOperations(parts), ...v3TaskOperations(parts)];
}

function v2TaskOperations(parts: ScoreParts): Operation[] {
  return [
    operation({
      name: 'v2_risk_score_create_task',
      surface: 'standard',
      method: 'POST',
      path: '/v2/risk_score_create_task',
      summary: 'Starts the risk score of an address or a transaction; the query repeats the target.',
      description: noCacheText,
      counted: true,
      request: targetQuery,
      answer: succeededWith(createdV2),
      example: { request: addressRequest, answer: createdV2Example },
      refusals: targetRefusals,
      read: subjectOf,
      run: async (subject, { keyHash, noCache }) => {
        const { has_result, scanned_ts } = await create(parts, keyHash, subject, noCache);
        return succeeded({ has_result, scanned_ts });
      },
    }),
    operation({
      name: 'v2_risk_score_query_task',
      surface: 'standard',
      method: 'GET',
      path: '/v2/risk_score_query_task',
      summary: 'The risk score that was started for the same target with the same key, or how it stands.',
      description: `${notCounted} ${failed}`,
      counted: false,
      request: targetQuery,
      answer: queried(scoreV2Task),
      example: { request: addressRequest, answer: scoreV2TaskExample },
      refusals: targetRefusals,
      read: subjectOf,
      run: async (subject, { keyHash }) => {
        const run = finished(await parts.tasks.querySubject(keyHash, subject));
        return typeof run === 'string' ? taskMessage(run) : succeeded(scoreV2TaskData(run.result));
      },
    }),
  ];
}

function v3TaskOperations(parts: ScoreParts): Operation[] {
  return [
    operation({
      name: 'v3_risk_score_create_task',
      surface: 'standard',
      method: 'POST',
      path: '/v3/risk_score_create_task',
      summary: 'Starts the risk score of an address or a transaction.',
      description: `A task that runs for the same chain, target and direction is joined, and a result that is kept is taken, whatever the coin. ${noCacheText}`,
      counted: true,
      request: directedTarget,
      answer: succeededWith(createdV3),
      example: { request: { ...addressRequest, direction: 'deposit' }, answer: createdV3Example },
      refusals: targetRefusals,
      read: subjectOf,
      run: async (subject, { keyHash, noCache }) => succeeded(await create(parts, keyHash, subject, noCache)),
    }),
    operation({
      name: 'v3_risk_score_query_task',
      surface: 'standard',
      method: 'GET',
      path: '/v3/risk_score_query_task',
      summary: 'The risk score of a task of the same key, or how it stands.',
      description: `${notCounted} A task is kept for 24 hours after its last query. ${failed}`,
      counted: false,
      request: taskQuery,
      answer: queried(scoreV3),
      example: { request: taskRequest, answer: scoreV3Example },
      refusals: ['InvalidParameter'],
      read: ({ task_id }) => task_id,
      run: async (taskId, { keyHash, origin }) => {
        const run = finished(await parts.tasks.query(keyHash, taskId));
        if (typeof run === 'string') return taskMessage(run);
        const report = await reportOf(parts.reportUrl, run.subject, nativeCoin(run.subject.chain).symbol, run.scannedAt, origin);
        return succeeded(scoreV3Data(run.result, report));
      },
    }),
  ];
}

async function create({ tasks, watches }: ScoreParts, keyHash: Buffer, subject: Subject, noCache: boolean): Promise<CreatedTask> {
  await watches.note(keyHash, subject);
  return tasks.create(keyHash, subject, { noCache });
}

/** Fails with `ServiceUnavailable` for a failed run. */
function finished(run: Run | undefined): FinishedRun | 'TaskNotFound' | 'TaskUnderRunning' {
  if (run === undefined) return 'TaskNotFound';
  if (run.state === 'done') return run;
  if (run.state === 'failed') throw new Failure('ServiceUnavailable');
  return 'TaskUnderRunning';
}
