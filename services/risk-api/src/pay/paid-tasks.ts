import { hashKey } from '../keys/keys.ts';
import type { Queryable } from '@weir/postgres';
import type { Subject } from '../tasks/subject.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { Run } from '../tasks/runs.ts';
import { findTask } from './upkeep.ts';

/** The key under which tasks know a paid one: nobody can have it but who knows its address. */
const keyOf = (taskId: string): Buffer => hashKey(taskId);

/** Starts what was paid for; what runs already for the same subject is joined. */
export function startTask(tasks: Tasks, taskId: string, subject: Subject): Promise<unknown> {
  return tasks.create(keyOf(taskId), subject);
}

/**
 * The run behind the address of a paid task; undefined when there is no such task, when it is not paid yet, or when it has not been asked for in so long that
 * it is gone. It is started here where the process that settled it did not come to that.
 */
export async function pollTask(db: Queryable, tasks: Tasks, taskId: string, retentionMs: number): Promise<Run | undefined> {
  const paid = await findTask(db, taskId, retentionMs);
  if (paid === undefined) return undefined;
  const run = await tasks.querySubject(keyOf(taskId), paid.subject);
  if (run !== undefined || !paid.isRecent) return run;
  await startTask(tasks, taskId, paid.subject);
  return tasks.querySubject(keyOf(taskId), paid.subject);
}
