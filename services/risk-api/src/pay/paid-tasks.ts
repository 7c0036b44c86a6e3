import { hashKey } from '../keys/keys.ts';
import type { Queryable } from '@weir/postgres';
import type { Subject } from '../tasks/subject.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { Run } from '../tasks/runs.ts';
import { findTask } from './upkeep.ts';

/** The key hash of a paid task. Only a client that knows the task's address can derive it. */
const keyOf = (taskId: string): Buffer => hashKey(taskId);

/** Starts the paid task, or joins a run of the same subject. */
export function startTask(tasks: Tasks, taskId: string, subject: Subject): Promise<unknown> {
  return tasks.create(keyOf(taskId), subject);
}

/** Undefined for an unknown, unpaid or expired task. Starts the run when the process that settled the payment did not. */
export async function pollTask(db: Queryable, tasks: Tasks, taskId: string, retentionMs: number): Promise<Run | undefined> {
  const paid = await findTask(db, taskId, retentionMs);
  if (paid === undefined) return undefined;
  const run = await tasks.querySubject(keyOf(taskId), paid.subject);
  if (run !== undefined || !paid.isRecent) return run;
  await startTask(tasks, taskId, paid.subject);
  return tasks.querySubject(keyOf(taskId), paid.subject);
}
