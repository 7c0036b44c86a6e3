import type { Clock } from '@weir/clock';
import type { Direction } from '@weir/risk-engine';
import { z } from 'zod';
import { Failure } from '../../failure.ts';
import { findTarget, findTask, listTargets, type SandboxTarget, sandboxTargets, sandboxTaskId, targetResult } from './targets.ts';
import { succeeded } from '../../http/envelope.ts';
import { addressRequest, createdV3Example, taskRequest } from '../../http/examples.ts';
import { type Call, type Description, type Operation, operation } from '../../http/operation.ts';
import { requireOne } from '../../http/parameters.ts';
import type { ReportUrl } from '../../reports/query.ts';
import { createdV3, queriedSandbox, scoreSandbox, succeededWith, targetList } from '../../http/schemas/answers.ts';
import { directedTarget, targetQuery, taskQuery } from '../../http/schemas/requests.ts';

interface Asked {
  readonly target: SandboxTarget;
  readonly direction: Direction;
}

const targetsAre = 'Targets are the ten of GET /sandbox/targets; any other is InvalidParameter.';
const low = sandboxTargets.find(({ address }) => address === addressRequest.address);
const scoreAnswer = succeededWith(scoreSandbox);
const scoreExample = { success: true, msg: '', data: low === undefined ? {} : targetResult(low, 'deposit', '') };

export const targetsPage: Description = {
  name: 'sandbox_targets',
  surface: 'sandbox',
  method: 'GET',
  path: '/sandbox/targets',
  summary: 'The targets of the sandbox. No key.',
  keyed: false,
  request: z.object({}),
  answer: targetList,
  example: { request: {}, answer: { targets: listTargets().slice(0, 2) } },
  refusals: [],
};

type ResultOf = (asked: Asked, call: Call) => Promise<z.output<typeof scoreAnswer>>;

/** The operations of the sandbox: every call counts, every result is fixed. */
export function sandboxOperations(clock: Clock, reportUrl: ReportUrl): Operation[] {
  const result: ResultOf = async ({ target, direction }, { origin }) => {
    const sandbox = target.address ?? target.txid ?? '';
    return succeeded(targetResult(target, direction, origin === '' ? '' : await reportUrl({ sandbox, direction }, origin)));
  };
  return [scoreOperation(result), createTaskOperation(clock), queryTaskOperation(result)];
}

function scoreOperation(result: ResultOf): Operation {
  return operation({
    name: 'sandbox_v3_risk_score',
    surface: 'sandbox',
    method: 'GET',
    path: '/sandbox/v3/risk_score',
    summary: 'The predefined result of a target.',
    description: targetsAre,
    counted: true,
    request: targetQuery,
    answer: scoreAnswer,
    example: { request: addressRequest, answer: scoreExample },
    refusals: ['InvalidParameter', 'InvalidAddress'],
    read: known,
    run: result,
  });
}

function createTaskOperation(clock: Clock): Operation {
  return operation({
    name: 'sandbox_v3_risk_score_create_task',
    surface: 'sandbox',
    method: 'POST',
    path: '/sandbox/v3/risk_score_create_task',
    summary: 'A task for a target; its result is there at once.',
    description: targetsAre,
    counted: true,
    request: directedTarget,
    answer: succeededWith(createdV3),
    example: { request: { ...addressRequest, direction: 'deposit' }, answer: createdV3Example },
    refusals: ['InvalidParameter', 'InvalidAddress'],
    read: known,
    run: async ({ target, direction }, { keyHash }) => {
      const scannedTs = Math.floor(clock.now() / 1000);
      return succeeded({ has_result: true, scanned_ts: scannedTs, task_id: sandboxTaskId(keyHash, target, direction) });
    },
  });
}

function queryTaskOperation(result: ResultOf): Operation {
  return operation({
    name: 'sandbox_v3_risk_score_query_task',
    surface: 'sandbox',
    method: 'GET',
    path: '/sandbox/v3/risk_score_query_task',
    summary: 'The predefined result of a task of the same key.',
    description: 'An unknown task is TaskNotFound with success false and status 200.',
    counted: true,
    request: taskQuery,
    answer: queriedSandbox,
    example: { request: taskRequest, answer: scoreExample },
    refusals: ['InvalidParameter'],
    read: ({ task_id }) => task_id,
    run: async (taskId, call) => {
      const task = findTask(call.keyHash, taskId);
      return task === undefined ? ({ success: false, msg: 'TaskNotFound', data: {} } as const) : result(task, call);
    },
  });
}

/** Fails with `InvalidParameter` for any other target. */
function known(wanted: z.output<typeof targetQuery> & { direction?: Direction }): Asked {
  if (wanted.coin !== 'ETH' && wanted.coin !== 'TRX') throw new Failure('InvalidParameter');
  requireOne(wanted);
  const target = findTarget(wanted.coin, { address: wanted.address, txid: wanted.txid });
  if (target === undefined) throw new Failure('InvalidParameter');
  return { target, direction: wanted.direction ?? 'deposit' };
}
