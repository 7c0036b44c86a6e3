import { type CheckedTransfer, checkWellFormed, rawTransferOf, withdrawalBody } from '@weir/intake';
import { type Caller, type Operation, operation, problem, readers, refuseInput } from '@weir/service-kit';
import type { Context } from 'hono';
import type { z } from 'zod';
import { answerWithin } from '../availability.ts';
import { holdBack } from '../standing.ts';
import { admit, machines } from './callers.ts';
import { answerLimitMs, type Gate } from './gate.ts';
import { findImpossible, isImpossible } from './impossible.ts';
import { readWait } from './prefer.ts';
import { view, type WithdrawalView } from './view.ts';

/** POST may wait for the decision. */
export function withdrawalOperations(gate: Gate): readonly Operation[] {
  const { access, clock } = gate;
  const post = operation({
    name: 'post_withdrawal',
    method: 'POST',
    path: '/v1/withdrawals',
    summary: 'Requests the screening of a withdrawal, and waits for its decision.',
    admission: admit(access, clock, answerLimitMs, machines),
    body: {
      schema: withdrawalBody,
      what: 'a withdrawal',
      refuse: (c, problems, given) => (isImpossible(problems, given) ? refuseInput(c, 422, 'INVALID_TRANSFER', problems) : undefined),
    },
    respond: (c, { body }) => request(c, gate, body),
  });
  const get = operation({
    name: 'get_withdrawal',
    method: 'GET',
    path: '/v1/withdrawals/{withdrawal_id}',
    summary: 'Tells the state of a withdrawal, with its permit once it is allowed.',
    admission: admit(access, clock, answerLimitMs, [...machines, ...readers]),
    respond: async (c) => {
      // Readers get no permit: it is a bearer secret.
      const permit = machines.includes(c.get('caller').role);
      const found = await view(gate, c.req.param('withdrawal_id') ?? '', { permit });
      if (found === undefined) return problem(c, 404, 'NOT_FOUND', 'nobody has asked for this withdrawal');
      c.header('cache-control', 'no-store');
      return c.json(found, 200);
    },
  });
  return [post, get];
}

async function request(c: Context, gate: Gate, { memo, ...given }: z.output<typeof withdrawalBody>): Promise<Response> {
  const { clock, intake } = gate;
  const now = await answerWithin(clock, answerLimitMs, intake.now());
  const requested_at = given.requested_at === null ? now : Date.parse(given.requested_at);
  const checked = checkWellFormed(rawTransferOf({ ...given, requested_at }, now));
  const misplaced = checked.faults.filter(({ field }) => field === 'chain');
  const impossible = misplaced.length > 0 ? undefined : findImpossible(checked, memo ?? '');
  if (impossible !== undefined) return refuseInput(c, 422, impossible.code, impossible.problems);
  if (misplaced.length > 0) return refuseInput(c, 400, 'MALFORMED', misplaced);
  const timeProblem = await answerWithin(clock, answerLimitMs, intake.findTimeProblem(checked));
  if (timeProblem !== undefined) {
    return refuseInput(c, 422, 'INVALID_TRANSFER', [{ field: 'requested_at', detail: `requested_at ${timeProblem}` }]);
  }
  const isTaken = await answerWithin(clock, answerLimitMs, takeIn(gate, checked, c.get('caller')));
  if (!isTaken) return problem(c, 409, 'CONFLICTING_CONTENT', 'this withdrawal_id was asked for before with other content');
  const wait = readWait(c.req.header('prefer'));
  if (wait.isAsked) c.header('preference-applied', `wait=${wait.seconds}`);
  return tell(c, await standingAfter(gate, checked.transfer.source_id, wait.seconds * 1_000, c.req.raw.signal));
}

/** Once this resolves to true, the withdrawal will be screened and can be read, whatever happens. */
async function takeIn({ intake, pool }: Gate, checked: CheckedTransfer, caller: Caller): Promise<boolean> {
  const standing = await intake.accept(checked, caller);
  if (standing === 'conflict') return false;
  await holdBack(pool, [checked.transfer]);
  return true;
}

/** Waits for the decision, `waitMs` at most. Ends early when the caller has gone or no decision can arrive. */
async function standingAfter(gate: Gate, withdrawalId: string, waitMs: number, gone: AbortSignal): Promise<WithdrawalView | undefined> {
  const { clock, waiters, stopping } = gate;
  const until = clock.monotonic() + waitMs;
  const seat = waitMs > 0 ? waiters.join(withdrawalId) : undefined;
  try {
    for (let isFirst = true; ; isFirst = false) {
      const found = await view(gate, withdrawalId, { permit: true });
      const leftMs = until - clock.monotonic();
      if (found?.status !== 'pending' || seat === undefined || leftMs <= 0 || gone.aborted || stopping.aborted) return found;
      if (isFirst && (await gate.availability.unavailable()).length > 0) return found;
      await seat.wait(leftMs, AbortSignal.any([gone, stopping]));
    }
  } finally {
    seat?.leave();
  }
}

function tell(c: Context, found: WithdrawalView | undefined): Response {
  if (found === undefined) throw new TypeError('a withdrawal that was taken in was not found');
  c.header('cache-control', 'no-store');
  return c.json(found, found.status === 'pending' ? 202 : 200);
}
