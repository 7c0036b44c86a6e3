import type { Tasks } from '../tasks/tasks.ts';
import { succeeded } from './envelope.ts';
import type { Operation } from './operation.ts';
import { parseSubject, parseTaskId } from './parameters.ts';
import { riskScoreData } from './result.ts';

/** The operations of the standard API. */
export function standardOperations(tasks: Tasks): Operation[] {
  return [
    {
      name: 'v3_risk_score_create_task',
      surface: 'standard',
      method: 'POST',
      path: '/v3/risk_score_create_task',
      summary: 'Starts the score of an address or a transaction. Body: coin, address or txid, direction (deposit or withdraw), api_key.',
      counted: true,
      run: async (keyHash, parameters) => {
        const { hasResult, scannedTs, taskId } = await tasks.create(keyHash, parseSubject(parameters));
        return succeeded({ has_result: hasResult, scanned_ts: scannedTs, task_id: taskId });
      },
    },
    {
      name: 'v3_risk_score_query_task',
      surface: 'standard',
      method: 'GET',
      path: '/v3/risk_score_query_task',
      summary: 'The result of a task of the same key, TaskUnderRunning, or TaskNotFound. Query: task_id, api_key. Not limited.',
      counted: false,
      run: async (keyHash, parameters) => {
        const run = await tasks.query(keyHash, parseTaskId(parameters));
        if (run === undefined) return succeeded({}, 'TaskNotFound');
        return run.result === null ? succeeded({}, 'TaskUnderRunning') : succeeded(riskScoreData(run.result));
      },
    },
  ];
}
