import type { Queryable } from '@weir/postgres';
import { type Change, changesAfter, cursorOf, endOfChanges, numberOf } from '../../score-changes/feed.ts';
import { Failure } from '../../failure.ts';
import { succeeded } from '../../http/envelope.ts';
import { changesExample, changesRequest } from '../../http/examples.ts';
import { type Operation, operation } from '../../http/operation.ts';
import { scoreChanges, succeededWith } from '../../http/schemas/answers.ts';
import { changesQuery } from '../../http/schemas/requests.ts';

export function changeOperations({ db }: { db: Queryable }): Operation[] {
  return [
    operation({
      name: 'v1_score_changes',
      surface: 'standard',
      method: 'GET',
      path: '/v1/score_changes',
      summary: 'Scores that the key has asked for and that may have changed since, because a label changed or a transfer came.',
      description:
        'Takes nothing from the limits of the key. Ask for the scores again: they are computed anew. A score is told of for 90 days after the key last asked for it, unless set otherwise.',
      counted: false,
      request: changesQuery,
      answer: succeededWith(scoreChanges),
      example: { request: changesRequest, answer: changesExample },
      refusals: ['InvalidParameter'],
      read: ({ after, limit }) => {
        const number = after === undefined ? undefined : numberOf(after);
        if (number === null) throw new Failure('InvalidParameter');
        return { number, limit };
      },
      run: async ({ number, limit }, { keyHash }) => {
        if (number === undefined) return succeeded({ items: [], next_cursor: cursorOf(await endOfChanges(db)), more: false });
        const page = await changesAfter(db, keyHash, number, limit);
        if (page === undefined) throw new Failure('InvalidParameter');
        return succeeded({ items: page.changes.map(itemOf), next_cursor: cursorOf(page.next), more: page.more });
      },
    }),
  ];
}

function itemOf({ subject: { chain, kind, value, direction }, cause, changedAt }: Change) {
  return { chain, subject_type: kind, subject: value, direction, cause, changed_at: Math.floor(changedAt.getTime() / 1_000) };
}
