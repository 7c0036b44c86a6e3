import type { Clock } from '@weir/clock';
import { eventId } from '@weir/contracts';
import { type Pool, type Queryable, transaction } from '@weir/postgres';
import { eventOf, isSamePerson, needsApproval, type Person, type ReviewState, whyNotResolvable } from '@weir/reviews';
import type { NewEvent, Outbox, StoredEvent } from '@weir/service-kit';
import {
  findResolution,
  listResolutions,
  lockStanding,
  type Resolution,
  type ResolutionState,
  reviewStateOf,
  type Standing,
  stateOf,
} from './standing.ts';

/** The reason of a refused action. */
export type Refusal =
  | { readonly code: 'NOT_FOUND' | 'RESOLUTION_NOT_FOUND' | 'SAME_PERSON' | 'NOT_DECIDED' | 'NOT_HELD' | 'ALREADY_HELD' }
  | { readonly code: 'NOT_LATEST'; readonly latest_revision: number }
  | {
      readonly code: 'RESOLUTION_STANDS' | 'ALREADY_ANSWERED' | 'SUPERSEDED';
      readonly resolution: Resolution;
      readonly state: ResolutionState;
    };

/** The resolution, or the refusal. */
export type Outcome = { readonly resolution_id: string; readonly state: ResolutionState } | Refusal;

export interface Resolving {
  readonly screeningId: string;
  readonly action: 'allow' | 'block' | 'review';
  readonly reason: string;
  /** The revision to resolve; undefined: the latest. */
  readonly revision: number | undefined;
  readonly by: Person;
}

export interface Answering {
  readonly screeningId: string;
  readonly resolutionId: string;
  readonly approve: boolean;
  readonly reason: string | undefined;
  readonly by: Person;
}

/** Resolves, approves and reopens reviews. Each action and its event are one transaction under the screening's lock. */
export class ReviewService {
  readonly #pool: Pool;
  readonly #outbox: Outbox;
  readonly #clock: Clock;
  readonly #singleBelowUsd: string;
  readonly #onUnpublished: (error: unknown) => void;

  constructor(options: { pool: Pool; outbox: Outbox; clock: Clock; singleBelowUsd: string; onUnpublished: (error: unknown) => void }) {
    this.#pool = options.pool;
    this.#outbox = options.outbox;
    this.#clock = options.clock;
    this.#singleBelowUsd = options.singleBelowUsd;
    this.#onUnpublished = options.onUnpublished;
  }

  /**
   * Resolves a review that is held or has an adverse update (`allow`, `block`), or holds a transfer again (`review`), which needs no
   * approval.
   */
  resolve(asked: Resolving): Promise<Outcome> {
    return this.#publishAfter(async (tx, events) => {
      const standing = await lockStanding(tx, asked.screeningId);
      const before = await listResolutions(tx, asked.screeningId, 1);
      if (standing === undefined) return { code: 'NOT_FOUND' };
      const state = reviewStateOf(standing);
      if (state === undefined) return { code: 'NOT_DECIDED' };
      const refused = refuse(asked, standing, state, before[0]);
      if (refused !== undefined) return refused;
      const needsSecond = needsApproval(state, asked.action, this.#singleBelowUsd);
      const resolution = await store(tx, asked, { standing, needsSecond, previous: before[0], now: this.#clock.now() });
      if (!needsSecond) events.push(...(await this.#outbox.store(tx, [toEvent(resolution, standing)])));
      return { resolution_id: resolution.resolution_id, state: stateOf(resolution, standing) };
    });
  }

  /** Approves or rejects another person's resolution. The same answer by the same person is a repeat. */
  answer(asked: Answering): Promise<Outcome> {
    return this.#publishAfter(async (tx, events) => {
      const standing = await lockStanding(tx, asked.screeningId);
      if (standing === undefined) return { code: 'NOT_FOUND' };
      const resolution = await findResolution(tx, asked.screeningId, asked.resolutionId);
      if (resolution === undefined) return { code: 'RESOLUTION_NOT_FOUND' };
      if (isSamePerson(asked.by, { id: resolution.resolved_by, name: resolution.resolved_by_name })) return { code: 'SAME_PERSON' };
      const wanted = asked.approve ? 'approved' : 'rejected';
      const state = stateOf(resolution, standing);
      if (resolution.answer !== null) {
        const isRepeat = resolution.answer === wanted && resolution.answered_by === asked.by.id;
        return isRepeat ? { resolution_id: resolution.resolution_id, state } : { code: 'ALREADY_ANSWERED', resolution, state };
      }
      if (resolution.revision !== standing.revision) return { code: 'SUPERSEDED', resolution, state: 'superseded' };
      const answered = await storeAnswer(tx, resolution, asked, wanted, this.#clock.now());
      if (asked.approve) events.push(...(await this.#outbox.store(tx, [toEvent(answered, standing)])));
      return { resolution_id: resolution.resolution_id, state: stateOf(answered, standing) };
    });
  }

  /** Publishes stored events; on a failure the outbox publishes them later. */
  async #publishAfter(work: (tx: Queryable, events: StoredEvent[]) => Promise<Outcome>): Promise<Outcome> {
    const events: StoredEvent[] = [];
    const outcome = await transaction(this.#pool, (tx) => work(tx, events));
    if (events.length > 0) await this.#outbox.publish(events).catch(this.#onUnpublished);
    return outcome;
  }
}

function refuse(asked: Resolving, standing: Standing, state: ReviewState, last: Resolution | undefined): Refusal | undefined {
  if (asked.revision !== undefined && asked.revision !== standing.revision) {
    return { code: 'NOT_LATEST', latest_revision: standing.revision };
  }
  if (last !== undefined && last.revision === standing.revision && last.answer !== 'rejected') {
    return { code: 'RESOLUTION_STANDS', resolution: last, state: stateOf(last, standing) };
  }
  const code = whyNotResolvable(state, asked.action);
  return code === undefined ? undefined : { code };
}

async function store(
  tx: Queryable,
  asked: Resolving,
  { standing, needsSecond, previous, now }: { standing: Standing; needsSecond: boolean; previous: Resolution | undefined; now: number },
): Promise<Resolution> {
  const resolution: Resolution = {
    // Derived from its predecessor, so that only one resolution can follow it.
    resolution_id: eventId('resolution', standing.screening_id, standing.revision, previous?.resolution_id ?? 'first'),
    screening_id: standing.screening_id,
    revision: standing.revision,
    action: asked.action,
    reason: asked.reason,
    resolved_by: asked.by.id,
    resolved_by_name: asked.by.name,
    resolved_at: new Date(now),
    needs_approval: needsSecond,
    answer: needsSecond ? null : 'approved',
    answered_by: null,
    answered_by_name: null,
    answer_reason: null,
    answered_at: needsSecond ? null : new Date(now),
  };
  await tx.query(
    `INSERT INTO console.resolutions (resolution_id, screening_id, revision, action, reason, resolved_by, resolved_by_name, resolved_at,
       needs_approval, answer, answered_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      resolution.resolution_id,
      resolution.screening_id,
      resolution.revision,
      resolution.action,
      resolution.reason,
      resolution.resolved_by,
      resolution.resolved_by_name,
      resolution.resolved_at,
      resolution.needs_approval,
      resolution.answer,
      resolution.answered_at,
    ],
  );
  return resolution;
}

async function storeAnswer(
  tx: Queryable,
  resolution: Resolution,
  { by, reason }: Answering,
  answer: 'approved' | 'rejected',
  now: number,
): Promise<Resolution> {
  const answered = { answer, answered_by: by.id, answered_by_name: by.name, answer_reason: reason ?? null, answered_at: new Date(now) };
  await tx.query(
    `UPDATE console.resolutions SET answer = $2, answered_by = $3, answered_by_name = $4, answer_reason = $5, answered_at = $6
     WHERE resolution_id = $1`,
    [resolution.resolution_id, answer, by.id, by.name, reason ?? null, answered.answered_at],
  );
  return { ...resolution, ...answered };
}

export function toEvent(resolution: Resolution, { request }: Pick<Standing, 'request'>): NewEvent<'reviews.resolved'> {
  const at = resolution.answered_at ?? resolution.resolved_at;
  return {
    topic: 'reviews.resolved',
    id: eventId('reviews.resolved', resolution.resolution_id),
    key: request.transfer.deposit_id ?? request.transfer.withdrawal_id ?? resolution.screening_id,
    screeningId: resolution.screening_id,
    time: at.getTime(),
    data: eventOf(resolution),
  };
}
