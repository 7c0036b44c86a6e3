import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { Link, useNavigate } from 'react-router';
import { useReviewChange } from '../api/changes.ts';
import { session } from '../api/queries.ts';
import type { ResolutionView, ReviewDetail, ReviewView } from '../api/types.ts';
import { announce, focusAfterAct } from '../parts/announce.tsx';
import { Facts, Section, Time } from '../parts/basics.tsx';
import { casePath } from '../parts/columns.tsx';
import { useDraft } from '../parts/draft.ts';
import { LongText } from '../parts/fields.tsx';
import { PendingButton } from '../parts/pending-button.tsx';
import { useKeys } from '../parts/row-keys.ts';
import { Problem } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { decimal, isSameName } from '../words/format.ts';
import { useQueue } from './lists.tsx';
import { keepers } from './notes.tsx';

const { resolve } = words;

interface ResolveProps {
  readonly review: ReviewDetail;
  /** The reasons of its latest decision, in words. */
  readonly why: string;
  readonly onward: Onward;
}

/** One person resolves, another approves. The revision that the reader sees is sent along, so a stale page resolves nothing. */
export function Resolve({ review, why, onward: { next, search } }: ResolveProps) {
  const { data: who } = useQuery(session);
  const isPerson = who?.role === 'reviewer' || who?.role === 'approver';
  const heading = useRef<HTMLHeadingElement>(null);
  const onDone = (done: string): void => {
    // The reader is at another review.
    if (heading.current === null) return;
    announce(next === undefined ? done : `${done} ${resolve.nextIs(nameOf(next))}`);
    focusAfterAct(heading.current);
  };
  return (
    <Section
      title={resolve.title}
      headingRef={heading}
      aside={
        <span className="links">
          {next !== undefined && <Link to={casePath(next, search)}>{resolve.next}</Link>}
          <Link to={`/app/reviews${search}`}>{words.reviews.title}</Link>
        </span>
      }
    >
      {(review.state === 'open' || review.state === 'pending_approval') && (
        <Facts
          rows={[
            [resolve.why, why],
            [words.case.due, review.due_at === null ? null : <Time iso={review.due_at} />],
          ]}
        />
      )}
      {review.state === 'open' && (isPerson ? <Open review={review} name={who.name} onDone={onDone} /> : <p>{resolve.readOnly}</p>)}
      {review.state === 'pending_approval' && review.resolution !== null && (
        <Pending
          key={review.resolution.resolution_id}
          review={review}
          resolution={review.resolution}
          name={who?.name ?? ''}
          onDone={onDone}
          mayApprove={who?.role === 'approver' && !isSameName(who.name, review.resolution.resolved_by.name)}
        />
      )}
      {review.state === 'approved' && <p>{resolve.waits}</p>}
      {(review.state === 'resolved' || review.state === 'not_held') && (
        <>
          <Settled resolution={review.resolution} />
          {who != null && keepers.includes(who.role) && review.action !== null && (
            <Reopen review={review} name={who.name} onDone={onDone} />
          )}
        </>
      )}
    </Section>
  );
}

const nameOf = ({ kind, transfer: { amount, coin } }: ReviewView): string => `${words.kinds[kind]} ${decimal(amount, 6)} ${coin}`;

interface Onward {
  /** Absent while its page is read, and where there is no other. */
  readonly next: ReviewView | undefined;
  /** The filter of the queue. */
  readonly search: string;
}

/** The next review of the queue that this one was opened from; `n` opens it, also before this one is loaded. */
export function useOnward(id: string): Onward {
  const navigate = useNavigate();
  const { query, search } = useQueue();
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = useInfiniteQuery(query);
  const rows = data?.pages.flatMap(({ items }) => items) ?? [];
  const own = rows.findIndex((row) => row.screening_id === id);
  /** Where it stood in the queue when it was last seen there. */
  const place = useRef<Place & { readonly of: string }>(undefined);
  useEffect(() => {
    if (own < 0) return;
    const ids = rows.map((row) => row.screening_id);
    place.current = { of: id, before: ids.slice(0, own + 1), after: ids.slice(own + 1) };
  });
  const isLastRead = own >= 0 && own === rows.length - 1 && hasNextPage;
  useEffect(() => {
    if (isLastRead && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isLastRead, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  const next = isLastRead ? undefined : nextOf(rows, id, own < 0 && place.current?.of === id ? place.current : undefined);
  const go = ({ repeat }: KeyboardEvent, to: ReviewView): void => {
    // A key that is held would open each review on the way.
    if (!repeat) void navigate(casePath(to, search));
  };
  useKeys(next === undefined ? {} : { n: (event) => go(event, next) });
  return { next, search };
}

interface Place {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The row after this one, or after its last `place` where an act has taken it from the queue; after the last row the first. */
function nextOf(rows: readonly ReviewView[], id: string, place: Place | undefined): ReviewView | undefined {
  const own = rows.findIndex((row) => row.screening_id === id);
  const others = rows.filter((row) => row.screening_id !== id);
  if (place === undefined) return rows[own + 1] ?? others[0];
  return (
    others.find((row) => place.after.includes(row.screening_id)) ??
    others.find((row) => !place.before.includes(row.screening_id)) ??
    others[0]
  );
}

interface FormProps {
  readonly review: ReviewDetail;
  /** Whose draft it is. */
  readonly name: string;
  /** With what was done, in words. */
  readonly onDone: (done: string) => void;
}

const actions = ['allow', 'block'] as const;

/** A key begins the reason alone: which of the two it is for, the person chooses by the button that sends it. */
function Open({ review: { screening_id: id, revision }, name, onDone }: FormProps) {
  const { text: reason, isBegun, keep: setReason, forget } = useDraft(`resolve ${id} ${name}`);
  const [action, setAction] = useState<'allow' | 'block'>();
  const change = useReviewChange<{ action: 'allow' | 'block'; reason: string; revision: number }>(id, 'resolutions', 'POST', (_, body) => {
    forget();
    onDone(resolve.done[body.action]);
  });
  const begin = (chosen?: 'allow' | 'block'): void => {
    setAction(chosen);
    setReason(reason ?? '');
  };
  useKeys(reason === undefined ? { r: () => begin() } : {});
  // Of a form that was left, its button has the focus again.
  if (reason === undefined) {
    return (
      <div className="row">
        <Button className="primary" autoFocus={isBegun && action !== 'block'} onPress={() => begin('allow')}>
          {resolve.allow}
        </Button>
        <Button className="danger" autoFocus={isBegun && action === 'block'} onPress={() => begin('block')}>
          {resolve.block}
        </Button>
      </div>
    );
  }
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        const { value } = (event.nativeEvent as SubmitEvent).submitter as HTMLButtonElement;
        change.mutate({ action: value as 'allow' | 'block', reason, revision });
      }}
    >
      <LongText label={resolve.reason} value={reason} onChange={setReason} hint={resolve.reasonHint} autoFocus={isBegun} />
      {change.error !== null && <Problem text={change.error.message} />}
      <div className="row">
        {actions
          .filter((each) => action === undefined || each === action)
          .map((each) => (
            <PendingButton
              key={each}
              type="submit"
              value={each}
              className={each === 'allow' ? 'primary' : 'danger'}
              isPending={change.isPending}
            >
              {resolve.submit[each]}
            </PendingButton>
          ))}
        <Button onPress={() => setReason(undefined)}>{resolve.cancel}</Button>
      </div>
    </Form>
  );
}

interface PendingProps extends FormProps {
  readonly resolution: ResolutionView;
  readonly mayApprove: boolean;
}

function Pending({ review: { screening_id: id }, resolution, mayApprove, name, onDone }: PendingProps) {
  const { text: reason, isBegun, keep: setReason, forget } = useDraft(`reject ${resolution.resolution_id} ${name}`);
  const change = useReviewChange<{ resolution_id: string; approve: boolean; reason?: string }>(id, 'approvals', 'POST', (_, body) => {
    forget();
    onDone(resolve.done[body.approve ? 'approve' : 'reject']);
  });
  const answer = (): void => change.mutate({ resolution_id: resolution.resolution_id, approve: true });
  const approve = useRef<HTMLButtonElement>(null);
  // Enter then approves: one key alone must not.
  useKeys(mayApprove ? { a: () => approve.current?.focus() } : {});
  return (
    <>
      <p>{resolve.pending(resolution.resolved_by.name, resolution.action)}</p>
      <blockquote className="plain">{resolution.reason}</blockquote>
      {change.error !== null && <Problem text={change.error.message} />}
      {mayApprove && reason !== undefined && (
        <Form
          onSubmit={(event) => {
            event.preventDefault();
            change.mutate({ resolution_id: resolution.resolution_id, approve: false, reason });
          }}
        >
          <LongText label={resolve.reason} value={reason} onChange={setReason} hint={resolve.reasonHint} autoFocus={isBegun} />
          <div className="row">
            <PendingButton type="submit" className="danger" isPending={change.isPending}>
              {resolve.reject}
            </PendingButton>
            <Button onPress={() => setReason(undefined)}>{resolve.cancel}</Button>
          </div>
        </Form>
      )}
      {mayApprove && reason === undefined && (
        <div className="row">
          <PendingButton ref={approve} className="primary" isPending={change.isPending} onPress={answer}>
            {resolve.approve}
          </PendingButton>
          <Button isDisabled={change.isPending} autoFocus={isBegun} onPress={() => setReason('')}>
            {resolve.reject}
          </Button>
        </div>
      )}
    </>
  );
}

function Settled({ resolution }: { readonly resolution: ResolutionView | null }) {
  if (resolution === null) return <p>{resolve.decided}</p>;
  const { action, reason, resolved_by: first, answered_by: second } = resolution;
  return (
    <>
      <p>
        {words.actions[action]}: {[first.name, second?.name].filter(Boolean).join(', ')}
      </p>
      <blockquote className="plain">{reason}</blockquote>
    </>
  );
}

/** Holds a decided transfer again, which needs no approval. */
function Reopen({ review: { screening_id: id, revision }, name, onDone }: FormProps) {
  const { text: reason, isBegun, keep: setReason, forget } = useDraft(`reopen ${id} ${name}`);
  const change = useReviewChange<{ reason: string; revision: number }>(id, 'reopenings', 'POST', () => {
    forget();
    onDone(resolve.done.reopen);
  });
  if (reason === undefined) {
    return (
      <Button autoFocus={isBegun} onPress={() => setReason('')}>
        {resolve.reopen}
      </Button>
    );
  }
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ reason, revision });
      }}
    >
      <p className="muted">{resolve.reopenHint}</p>
      <LongText label={resolve.reason} value={reason} onChange={setReason} hint={resolve.reasonHint} autoFocus={isBegun} />
      {change.error !== null && <Problem text={change.error.message} />}
      <div className="row">
        <PendingButton type="submit" className="primary" isPending={change.isPending}>
          {resolve.reopen}
        </PendingButton>
        <Button onPress={() => setReason(undefined)}>{resolve.cancel}</Button>
      </div>
    </Form>
  );
}
