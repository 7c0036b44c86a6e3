import { admission, type Operation, operation, personOf, type Problems, type Role } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { attachmentOperations } from '../attachments/routes.ts';
import { screeningSegment } from '../parameters.ts';
import { idOf, keepers, notFound, type ReviewApiOptions, tag } from './api.ts';
import { bodies } from './body.ts';
import { planOperations } from './planning.ts';
import { readOperations } from './reading.ts';
import { refuse } from './refuse.ts';
import type { Outcome } from './review-service.ts';
import { resolutionState } from './view.ts';

const resolvers: readonly Role[] = ['reviewer', 'approver'];
const approvers: readonly Role[] = ['approver'];

const resolved = z.strictObject({ resolution_id: z.guid(), state: resolutionState });
const resolvedExample = { resolution_id: '7d0a6d0c-4f0e-5f3b-8a53-0f3f5d9a1c22', state: 'pending_approval' };

const conflicts: Problems = {
  NOT_DECIDED: [409, 'There is no decision yet.'],
  NOT_LATEST: [409, 'Another revision is in force; `latest_revision` names it.'],
  RESOLUTION_STANDS: [409, 'A resolution stands; `resolution_id`, `action`, `state` and `resolved_by` tell which.'],
};

/** Operations to list and resolve reviews. */
export function reviewOperations(options: ReviewApiOptions): readonly Operation[] {
  const attachments = attachmentOperations(options, {
    kind: 'screening',
    what: 'review',
    path: '/v1/reviews/{screening_id}',
    names: { add: 'add_review_attachment', get: 'get_review_attachment' },
    writers: keepers,
    tag,
    segments: screeningSegment,
    idOf,
    notFound,
    refuse: (c) => refuse(c, { code: 'NOT_FOUND' }),
  });
  return [...readOperations(options), ...resolutionOperations(options), ...planOperations(options), ...attachments];
}

/** The review rules decide on resolutions, approvals and reopenings. */
function resolutionOperations({ access, reviewService }: ReviewApiOptions): readonly Operation[] {
  const resolve = operation({
    name: 'resolve_review',
    method: 'POST',
    path: '/v1/reviews/{screening_id}/resolutions',
    tag,
    summary: 'Resolves a held transfer; another person approves it.',
    admission: admission(access, resolvers),
    segments: screeningSegment,
    answers: [{ status: 201, description: 'Stored; another person approves it.', schema: resolved, example: resolvedExample }],
    problems: { ...notFound, ...conflicts, NOT_HELD: [409, 'It is not held. Reopen it first.'] },
    repeats: 'While a resolution stands, 409 `RESOLUTION_STANDS` tells its id, action and author.',
    body: {
      schema: bodies.resolution,
      what: 'a resolution',
      example: { action: 'allow', reason: 'The sender proved the source of the money.' },
    },
    respond: (c, { body }) =>
      tell(c, 201, (screeningId) =>
        reviewService.resolve({ screeningId, ...body, revision: body.revision, by: personOf(c.get('caller')) }),
      ),
  });
  const approve = operation({
    name: 'answer_resolution',
    method: 'POST',
    path: '/v1/reviews/{screening_id}/approvals',
    tag,
    summary: "Approves or rejects another person's resolution.",
    admission: admission(access, approvers),
    segments: screeningSegment,
    answers: [
      {
        status: 200,
        description: 'Answered.',
        schema: resolved,
        example: { ...resolvedExample, state: 'approved' },
      },
    ],
    problems: {
      ...notFound,
      RESOLUTION_NOT_FOUND: [404, 'This screening has no such resolution.'],
      SAME_PERSON: [403, 'Who resolved it cannot approve it.'],
      ALREADY_ANSWERED: [409, 'It was answered otherwise, or by another person.'],
      SUPERSEDED: [409, 'Another revision replaced the one that it resolves.'],
    },
    repeats: 'The same answer by the same person is 200 again.',
    body: { schema: bodies.approval, what: 'an approval', example: { resolution_id: resolvedExample.resolution_id, approve: true } },
    respond: (c, { body: { resolution_id: resolutionId, approve: isApproved, reason } }) =>
      tell(c, 200, (screeningId) =>
        reviewService.answer({
          screeningId,
          resolutionId,
          approve: isApproved,
          reason: reason ?? undefined,
          by: personOf(c.get('caller')),
        }),
      ),
  });
  const reopen = operation({
    name: 'reopen_review',
    method: 'POST',
    path: '/v1/reviews/{screening_id}/reopenings',
    tag,
    summary: 'Holds a decided transfer again.',
    admission: admission(access, keepers),
    segments: screeningSegment,
    answers: [
      {
        status: 201,
        description: 'Stored. It needs no approval.',
        schema: resolved,
        example: { ...resolvedExample, state: 'approved' },
      },
    ],
    problems: { ...notFound, ...conflicts, ALREADY_HELD: [409, 'It is held already.'] },
    repeats: '409 `RESOLUTION_STANDS` or `ALREADY_HELD`.',
    body: { schema: bodies.reopening, what: 'a reopening', example: { reason: 'A new report names the sender.' } },
    respond: (c, { body: { reason, revision } }) =>
      tell(c, 201, (screeningId) =>
        reviewService.resolve({ screeningId, action: 'review', reason, revision, by: personOf(c.get('caller')) }),
      ),
  });
  return [resolve, approve, reopen];
}

async function tell(c: Context, status: 200 | 201, work: (screeningId: string) => Promise<Outcome>): Promise<Response> {
  const id = idOf(c);
  const outcome = id === undefined ? ({ code: 'NOT_FOUND' } as const) : await work(id);
  return 'code' in outcome ? refuse(c, outcome) : c.json(outcome, status);
}
