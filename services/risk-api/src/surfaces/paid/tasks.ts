import { nativeCoin } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import { Failure } from '../../failure.ts';
import { succeeded, taskMessage } from '../../http/envelope.ts';
import { scoreV3Example } from '../../http/examples.ts';
import type { Description } from '../../http/operation.ts';
import type { Origin } from '../../http/origin.ts';
import type { ReportUrl } from '../../reports/query.ts';
import { scoreV3Data } from '../../http/result.ts';
import { queried, scoreV3 } from '../../http/schemas/answers.ts';
import { paidTaskPoll } from '../../http/schemas/requests.ts';
import { reportOf } from '../standard/scores.ts';
import type { Run } from '../../runs/runs.ts';
import { hashKey } from '../../keys/keys.ts';
import type { Subject } from '../../subject.ts';
import type { Tasks } from '../../runs/tasks.ts';
import { findTask } from '../../payments/upkeep.ts';

export const taskPage: Description = {
  name: 'x402_task',
  surface: 'x402',
  method: 'GET',
  path: '/x402/tasks/{task_id}',
  summary: 'The risk score of a paid task, or how it stands. Free of charge.',
  description: 'The address comes in the header Location of the paid call. A task is kept for 24 hours after its last query.',
  keyed: false,
  request: paidTaskPoll,
  answer: queried(scoreV3),
  example: { request: { task_id: 'mB0qkLr3V9dS1xYt6uZc2wEaHf8jNoPg' }, answer: scoreV3Example },
  refusals: [],
};

/** The answer of the v3 query. Fails with `ServiceUnavailable` for a failed score, which is then computed again. */
export async function taskAnswer(run: Run | undefined, reportUrl: ReportUrl, origin: Origin) {
  if (run === undefined) return taskMessage('TaskNotFound');
  if (run.state === 'failed') throw new Failure('ServiceUnavailable');
  if (run.state !== 'done') return taskMessage('TaskUnderRunning');
  const report = await reportOf(reportUrl, run.subject, nativeCoin(run.subject.chain).symbol, run.scannedAt, origin);
  return succeeded(scoreV3Data(run.result, report));
}

/** Of 24 random bytes, in base64url. */
const taskIdForm = /^[\w-]{32}$/;

/** The key hash of a paid task. Only a client that knows the task's address can derive it. */
const keyOf = (taskId: string): Buffer => hashKey(taskId);

/** Starts the paid task, or joins a run of the same subject. */
export function startTask(tasks: Tasks, taskId: string, subject: Subject): Promise<unknown> {
  return tasks.create(keyOf(taskId), subject);
}

/** Undefined for an unknown, unpaid or expired task. Starts the run when the process that settled the payment did not. */
export async function pollTask(db: Queryable, tasks: Tasks, taskId: string, retentionMs: number): Promise<Run | undefined> {
  const paid = taskIdForm.test(taskId) ? await findTask(db, taskId, retentionMs) : undefined;
  if (paid === undefined) return undefined;
  const run = await tasks.querySubject(keyOf(taskId), paid.subject);
  if (run !== undefined || !paid.isRecent) return run;
  await startTask(tasks, taskId, paid.subject);
  return tasks.querySubject(keyOf(taskId), paid.subject);
}
