import type { Clock } from '@weir/clock';
import { Failure } from '../failure.ts';
import { findTarget, findTask, type SandboxTarget, sandboxTaskId, targetResult } from '../sandbox/targets.ts';
import { succeeded } from './envelope.ts';
import type { Operation } from './operation.ts';
import { type Parameters, parseTarget, parseTaskId, requireSubjectText, type Target } from './parameters.ts';

/** The operations of the sandbox: every call counts, every result is fixed. */
export function sandboxOperations(clock: Clock): Operation[] {
  return [
    {
      name: 'sandbox_v3_risk_score',
      surface: 'sandbox',
      method: 'GET',
      path: '/sandbox/v3/risk_score',
      summary: 'The predefined result of a target. Query: coin (ETH or TRX), address or txid, api_key.',
      counted: true,
      run: async (_keyHash, parameters) => {
        const { target, direction } = known(parameters);
        return succeeded(targetResult(target, direction));
      },
    },
    {
      name: 'sandbox_v3_risk_score_create_task',
      surface: 'sandbox',
      method: 'POST',
      path: '/sandbox/v3/risk_score_create_task',
      summary: 'A task for a target; its result is there at once. Body: coin, address or txid, direction, api_key.',
      counted: true,
      run: async (keyHash, parameters) => {
        const { target, direction } = known(parameters);
        const scannedTs = Math.floor(clock.now() / 1000);
        return succeeded({ has_result: true, scanned_ts: scannedTs, task_id: sandboxTaskId(keyHash, target, direction) });
      },
    },
    {
      name: 'sandbox_v3_risk_score_query_task',
      surface: 'sandbox',
      method: 'GET',
      path: '/sandbox/v3/risk_score_query_task',
      summary: 'The predefined result of a task of the same key. Query: task_id, api_key.',
      counted: true,
      run: async (keyHash, parameters) => {
        const result = findTask(keyHash, parseTaskId(parameters));
        return result === undefined ? { success: false, msg: 'TaskNotFound', data: {} } : succeeded(result);
      },
    },
  ];
}

/** The target asked for; anything else fails with `InvalidParameter`. */
function known(parameters: Parameters): { target: SandboxTarget; direction: Target['direction'] } {
  const wanted = parseTarget(parameters);
  if (wanted.coin !== 'ETH' && wanted.coin !== 'TRX') throw new Failure('InvalidParameter');
  requireSubjectText(wanted);
  const target = findTarget(wanted.coin, wanted);
  if (target === undefined) throw new Failure('InvalidParameter');
  return { target, direction: wanted.direction };
}
