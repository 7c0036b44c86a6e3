import { checkWellFormed, depositBody, type Intake, rawTransferOf } from '@weir/intake';
import { type Access, admission, type Operation, operation, problem, refuseInput } from '@weir/service-kit';

/** 202 for a new deposit, 200 for a known one, 409 when it contradicts the known one. */
export function depositOperations({ access, intake }: { access: Access; intake: Intake }): readonly Operation[] {
  const post = operation({
    name: 'post_deposit',
    method: 'POST',
    path: '/v1/deposits',
    summary: 'Requests the screening of a deposit.',
    admission: admission(access, ['ingest', 'admin']),
    body: { schema: depositBody, what: 'a deposit' },
    respond: async (c, { body }) => {
      const now = await intake.now();
      const detected_at = body.detected_at === null ? now : Date.parse(body.detected_at);
      const checked = checkWellFormed(rawTransferOf({ ...body, detected_at }, now));
      // From the topic such a transfer is held; an HTTP caller can correct it.
      const misplaced = checked.faults.filter(({ field }) => field === 'chain');
      if (misplaced.length > 0) return refuseInput(c, 400, 'MALFORMED', misplaced);
      const standing = await intake.accept(checked, c.get('caller'));
      if (standing === 'conflict') return problem(c, 409, 'CONFLICTING_CONTENT', 'this deposit_id was posted before with other content');
      return c.json({ screening_id: checked.screeningId }, standing === 'new' ? 202 : 200);
    },
  });
  return [post];
}
