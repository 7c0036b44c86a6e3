import { NoteError, parseAddCheckpoint } from '@weir/audit-log';
import { everybody, type Operation, operation, problem } from '@weir/service-kit';
import { z } from 'zod';
import { exampleCheckpoint, exampleKey } from '../examples.ts';
import type { Cosigned, Witness } from './witness.ts';

const tag = 'audit';

const refusals = {
  malformed: [400, 'MALFORMED'],
  shrinking: [400, 'MALFORMED'],
  unsigned: [403, 'NOT_SIGNED_BY_LOG'],
  unknown: [404, 'UNKNOWN_LOG'],
  forked: [409, 'FORKED'],
  unproven: [422, 'NOT_CONSISTENT'],
} as const satisfies Record<Exclude<Cosigned['kind'], 'cosigned' | 'outdated'>, readonly [number, string]>;

/** C2SP tlog-witness. Undefined: this Weir is no witness and answers 404. */
export function witnessOperations(witness: Witness | undefined): readonly Operation[] {
  return [addCheckpoint(witness), witnessKey(witness)];
}

function addCheckpoint(witness: Witness | undefined): Operation {
  return operation({
    name: 'add_checkpoint',
    method: 'POST',
    path: '/v1/audit/witness/add-checkpoint',
    tag,
    summary: 'Cosigns the checkpoint of another log (C2SP tlog-witness).',
    description:
      'The body is `old SIZE`, the lines of a consistency proof, an empty line and the signed checkpoint. The log must be one of `WEIR_AUDIT_WITNESS_OF`; its signature admits the caller.',
    admission: everybody,
    rawBody: { type: 'text/plain', example: `old 0\n\n${exampleCheckpoint}` },
    answers: [
      {
        status: 200,
        description: 'The cosignature, a line for the note.',
        type: 'text/plain',
        schema: z.string(),
        example: exampleCheckpoint.slice(exampleCheckpoint.indexOf('\n\n') + 2),
      },
    ],
    problems: {
      MALFORMED: [400, 'The body has another form, or `old` is larger than the checkpoint.'],
      NOT_SIGNED_BY_LOG: [403, 'No known key of the log has signed the checkpoint.'],
      UNKNOWN_LOG: [404, 'This Weir is no witness of the log.'],
      FORKED: [409, 'Another tree of this size was cosigned, or (`text/x.tlog.size`) the body says which size `old` must be.'],
      NOT_CONSISTENT: [422, 'The proof does not show that the tree begins with the one cosigned before.'],
    },
    repeats: 'Cosigns again if `old` is the size of the checkpoint.',
    respond: async (c) => {
      if (witness === undefined) return problem(c, 404, 'UNKNOWN_LOG', 'this Weir is no witness: WEIR_AUDIT_WITNESS_OF is not set');
      const request = parsed(await c.req.text());
      if (typeof request === 'string') return problem(c, 400, 'MALFORMED', request);
      const result = await witness.add(request);
      if (result.kind === 'cosigned') return c.text(result.signature);
      if (result.kind === 'outdated') return c.body(`${result.size}\n`, 409, { 'content-type': 'text/x.tlog.size' });
      const [status, code] = refusals[result.kind];
      return problem(c, status, code, result.detail);
    },
  });
}

function witnessKey(witness: Witness | undefined): Operation {
  return operation({
    name: 'get_witness_key',
    method: 'GET',
    path: '/v1/audit/witness/key',
    tag,
    summary: 'The public key that verifies the cosignatures of this witness.',
    admission: everybody,
    answers: [{ status: 200, description: 'A verifier key.', type: 'text/plain', schema: z.string(), example: exampleKey }],
    problems: { NOT_FOUND: [404, 'This Weir is no witness.'] },
    respond: (c) =>
      witness === undefined
        ? problem(c, 404, 'NOT_FOUND', 'this Weir is no witness: WEIR_AUDIT_WITNESS_OF is not set')
        : c.text(`${witness.key.text}\n`),
  });
}

function parsed(text: string) {
  try {
    return parseAddCheckpoint(text);
  } catch (error) {
    if (error instanceof NoteError) return error.message;
    throw error;
  }
}
