import { hintForCoin } from '@weir/chains';
import { checkWellFormed, depositBody, type Intake, rawTransferOf } from '@weir/intake';
import { type Callers, admission, type Operation, operation, problem, refuseInput } from '@weir/service-kit';
import { z } from 'zod';

const accepted = z.strictObject({
  screening_id: z.guid(),
  hint: z.string().exactOptional().meta({ description: 'The coin is not known, so the deposit is held; known coins with similar names.' }),
});
const acceptedExample = { screening_id: '5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10' };
const depositExample = {
  deposit_id: 'd-1',
  coin: 'ETH',
  txid: '0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94',
  from_address: '0xd90e2f925da726b50c4ed8d0fb90ad053324f31b',
  to_address: '0x28C6c06298d514Db089934071355E5743bf21d60',
  amount: '1.5',
  usd_value: '4000',
  user_id: 'u-1',
  detected_at: '2026-01-31T09:12:23Z',
};

/** 202 for a new deposit, 200 for a known one, 409 when it contradicts the known one. */
export function depositOperations({ access, intake }: { access: Callers; intake: Intake }): readonly Operation[] {
  const post = operation({
    name: 'post_deposit',
    method: 'POST',
    path: '/v1/deposits',
    tag: 'deposits',
    summary: 'Requests the screening of a deposit.',
    description: 'The money has moved, so a deposit of an unknown coin, or with an invalid address, txid or amount, is accepted and held.',
    admission: admission(access, ['ingest', 'admin']),
    body: { schema: depositBody, what: 'a deposit', example: depositExample },
    answers: [
      { status: 202, description: 'It is stored and will be screened.', schema: accepted, example: acceptedExample },
      { status: 200, description: 'It was posted before.', schema: accepted, example: acceptedExample },
    ],
    problems: {
      CONFLICTING_CONTENT: [409, 'This deposit_id was posted before with other content.'],
      ERASED: [410, 'This deposit_id was screened before, and its content was erased. It is not screened again.'],
    },
    repeats: 'The same deposit_id with the same content is 200 with the same screening_id; times are not compared.',
    respond: async (c, { body }) => {
      const now = await intake.now();
      const detected_at = body.detected_at === null ? now : Date.parse(body.detected_at);
      const checked = checkWellFormed(rawTransferOf({ ...body, detected_at }, now));
      // From the topic such a transfer is held; an HTTP caller can correct it.
      const misplaced = checked.faults.filter(({ field }) => field === 'chain');
      if (misplaced.length > 0) return refuseInput(c, 400, 'MALFORMED', misplaced);
      const standing = await intake.accept(checked, c.get('caller'));
      if (standing === 'conflict') return problem(c, 409, 'CONFLICTING_CONTENT', 'this deposit_id was posted before with other content');
      if (standing === 'erased') return problem(c, 410, 'ERASED', 'the deposit of this id was screened before, and its content was erased');
      const isUnknown = checked.faults.some(({ fault }) => fault === 'UNSUPPORTED_COIN');
      c.set('screeningId', checked.screeningId);
      c.set('isNewTransfer', standing === 'new');
      const hint = isUnknown ? hintForCoin(body.coin, body.chain) : undefined;
      return c.json({ screening_id: checked.screeningId, ...(hint !== undefined && { hint }) }, standing === 'new' ? 202 : 200);
    },
  });
  return [post];
}
