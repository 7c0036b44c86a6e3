import { type CheckedTransfer, checkWellFormed, rawTransferOf, type Standing, withdrawalBody } from '@weir/intake';
import { type Caller, type Operation, operation, problem, readers, refuseInput } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { answerWithin } from '../availability.ts';
import { holdBack } from '../standing.ts';
import { admit, machines } from './callers.ts';
import { answerLimitMs, closed, type Gate } from './gate.ts';
import { findImpossible, isImpossible } from './impossible.ts';
import { readWait } from './prefer.ts';
import { exampleWithdrawal, view, type WithdrawalView, withdrawalView } from './view.ts';

const { revision: _revision, ...undecided } = exampleWithdrawal;
const withdrawalExample = {
  withdrawal_id: 'w-1',
  coin: 'USDT-ERC20',
  to_address: '0x28C6c06298d514Db089934071355E5743bf21d60',
  amount: '100',
  usd_value: '100',
  user_id: 'u-1',
};

/** POST may wait for the decision. */
export function withdrawalOperations(gate: Gate): readonly Operation[] {
  const { access, clock } = gate;
  const post = operation({
    name: 'post_withdrawal',
    method: 'POST',
    path: '/v1/withdrawals',
    tag: 'withdrawals',
    summary: 'Requests the screening of a withdrawal, and waits for its decision.',
    description: 'Nothing has moved yet: a withdrawal that no chain could execute is refused with 422.',
    admission: admit(access, clock, answerLimitMs, machines),
    body: {
      schema: withdrawalBody,
      what: 'a withdrawal',
      example: withdrawalExample,
      refuse: (c, problems, given) => (isImpossible(problems, given) ? refuseInput(c, 422, 'INVALID_TRANSFER', problems) : undefined),
    },
    headers: z.object({
      Prefer: z.string().optional().meta({
        description: '`wait=SECONDS` (RFC 7240): how long to wait for the decision, 10 unless given and 60 at most.',
        example: 'wait=5',
      }),
    }),
    answers: [
      {
        status: 200,
        description: 'Decided.',
        schema: withdrawalView,
        example: exampleWithdrawal,
        headers: { 'Preference-Applied': 'The wait that applied, if one was asked.' },
      },
      {
        status: 202,
        description: 'The wait ended before the decision.',
        schema: withdrawalView,
        example: { ...undecided, status: 'pending', reason_codes: [], rule: null },
        headers: { 'Preference-Applied': 'The wait that applied, if one was asked.' },
      },
    ],
    problems: {
      CONFLICTING_CONTENT: [409, 'This withdrawal_id was asked for before with other content.'],
      ERASED: [410, 'This withdrawal_id was screened before, and its content was erased. It is not screened again.'],
      UNSUPPORTED_COIN: [422, 'The coin is not known; `hint` may name the one that was meant.'],
      INVALID_TRANSFER: [422, 'No chain could execute it; `errors` lists every wrong field.'],
      ...closed,
    },
    repeats: 'The same withdrawal_id with the same content answers with its present state; times are not compared.',
    respond: (c, { body }) => request(c, gate, body),
  });
  const get = operation({
    name: 'get_withdrawal',
    method: 'GET',
    path: '/v1/withdrawals/{withdrawal_id}',
    isPolled: true,
    tag: 'withdrawals',
    summary: 'Tells the state of a withdrawal, with its permit once it is allowed.',
    description: 'Readers get no permit: it is a bearer secret.',
    admission: admit(access, clock, answerLimitMs, [...machines, ...readers]),
    segments: z.object({ withdrawal_id: z.string().meta({ example: 'w-1' }) }),
    answers: [{ status: 200, description: 'Its present state.', schema: withdrawalView, example: exampleWithdrawal }],
    problems: { NOT_FOUND: [404, 'Nobody has asked for this withdrawal.'], ...closed },
    respond: async (c) => {
      // Readers get no permit: it is a bearer secret.
      const permit = machines.includes(c.get('caller').role);
      const found = await view(gate, c.req.param('withdrawal_id') ?? '', { permit });
      if (found === undefined) return problem(c, 404, 'NOT_FOUND', 'nobody has asked for this withdrawal');
      c.set('screeningId', found.screening_id);
      c.header('cache-control', 'no-store');
      return c.json(found, 200);
    },
  });
  return [post, get];
}

async function request(c: Context, gate: Gate, given: z.output<typeof withdrawalBody>): Promise<Response> {
  const { clock, intake } = gate;
  const now = await answerWithin(clock, answerLimitMs, intake.now());
  const requested_at = given.requested_at === null ? now : Date.parse(given.requested_at);
  const checked = checkWellFormed(rawTransferOf({ ...given, requested_at }, now));
  c.set('screeningId', checked.screeningId);
  const misplaced = checked.faults.filter(({ field }) => field === 'chain');
  const impossible = misplaced.length > 0 ? undefined : findImpossible(checked);
  if (impossible !== undefined) return refuseInput(c, 422, impossible.code, impossible.problems);
  if (misplaced.length > 0) return refuseInput(c, 400, 'MALFORMED', misplaced);
  const timeProblem = await answerWithin(clock, answerLimitMs, intake.findTimeProblem(checked));
  if (timeProblem !== undefined) {
    return refuseInput(c, 422, 'INVALID_TRANSFER', [{ field: 'requested_at', detail: `requested_at ${timeProblem}` }]);
  }
  const standing = await answerWithin(clock, answerLimitMs, takeIn(gate, checked, c.get('caller')));
  c.set('isNewTransfer', standing === 'new');
  if (standing === 'erased') return problem(c, 410, 'ERASED', 'the withdrawal of this id was screened before, and its content was erased');
  if (standing === 'conflict') return problem(c, 409, 'CONFLICTING_CONTENT', 'this withdrawal_id was asked for before with other content');
  const wait = readWait(c.req.header('prefer'));
  if (wait.isAsked) c.header('preference-applied', `wait=${wait.seconds}`);
  return tell(c, await standingAfter(gate, checked.transfer.source_id, wait.seconds * 1_000, c.req.raw.signal));
}

/** Once this resolves with `new` or `known`, the withdrawal will be screened and can be read, whatever happens. */
async function takeIn({ intake, pool }: Gate, checked: CheckedTransfer, caller: Caller): Promise<Standing> {
  const standing = await intake.accept(checked, caller);
  if (standing === 'new' || standing === 'known') await holdBack(pool, [checked.transfer]);
  return standing;
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
