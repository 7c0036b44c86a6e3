import { problem } from '@weir/service-kit';
import type { Context } from 'hono';
import type { Refusal } from './review-service.ts';

const said = {
  NOT_FOUND: 'there is no screening with this id',
  RESOLUTION_NOT_FOUND: 'this screening has no such resolution',
  SAME_PERSON: 'who resolved it cannot approve it',
  NOT_DECIDED: 'there is no decision yet',
  NOT_HELD: 'it is not held; reopen it first',
  ALREADY_HELD: 'it is held already',
} as const;

/** A refusal as a problem response. It contains the resolution in the way, so that a client which retries can recognise its own. */
export function refuse(c: Context, refusal: Refusal): Response {
  switch (refusal.code) {
    case 'NOT_FOUND':
    case 'RESOLUTION_NOT_FOUND':
      return problem(c, 404, refusal.code, said[refusal.code]);
    case 'SAME_PERSON':
      return problem(c, 403, refusal.code, said[refusal.code]);
    case 'NOT_DECIDED':
    case 'NOT_HELD':
    case 'ALREADY_HELD':
      return problem(c, 409, refusal.code, said[refusal.code]);
    case 'NOT_LATEST':
      return problem(c, 409, refusal.code, `revision ${refusal.latest_revision} is in force now`, {
        latest_revision: refusal.latest_revision,
      });
    case 'RESOLUTION_STANDS':
    case 'ALREADY_ANSWERED':
    case 'SUPERSEDED': {
      const { code, resolution, state } = refusal;
      const { resolution_id, action, reason, resolved_by, answered_by } = resolution;
      const words = {
        RESOLUTION_STANDS: 'a resolution stands',
        ALREADY_ANSWERED: 'it was answered',
        SUPERSEDED: 'another revision overtook it',
      };
      return problem(c, 409, code, `${words[code]}: ${state}`, { resolution_id, action, reason, state, resolved_by, answered_by });
    }
  }
}
