import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { Link, useNavigate } from 'react-router';
import { useReviewChange } from '../api/changes.ts';
import { reviews, session } from '../api/queries.ts';
import type { ResolutionView, ReviewDetail } from '../api/types.ts';
import { Section } from '../parts/basics.tsx';
import { casePath } from '../parts/columns.tsx';
import { LongText } from '../parts/fields.tsx';
import { useKeys } from '../parts/row-keys.ts';
import { Problem } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { isSameName } from '../words/format.ts';
import { keepers } from './notes.tsx';

const { resolve } = words;

/** One person resolves, another approves. The revision that the reader sees is sent along, so a stale page resolves nothing. */
export function Resolve({ review }: { readonly review: ReviewDetail }) {
  const { data: who } = useQuery(session);
  const isPerson = who?.role === 'reviewer' || who?.role === 'approver';
  return (
    <Section
      title={resolve.title}
      aside={
        <span className="links">
          <Next id={review.screening_id} />
          <Link to="/app/reviews">{words.reviews.title}</Link>
        </span>
      }
    >
      {review.state === 'open' && (isPerson ? <Open review={review} /> : <p>{resolve.readOnly}</p>)}
      {review.state === 'pending_approval' && review.resolution !== null && (
        <Pending
          review={review}
          resolution={review.resolution}
          mayApprove={who?.role === 'approver' && !isSameName(who.name, review.resolution.resolved_by.name)}
        />
      )}
      {review.state === 'approved' && <p>{resolve.waits}</p>}
      {(review.state === 'resolved' || review.state === 'not_held') && (
        <>
          <Settled resolution={review.resolution} />
          {who != null && keepers.includes(who.role) && review.action !== null && <Reopen review={review} />}
        </>
      )}
    </Section>
  );
}

/** The review that is due next; `n` opens it. */
function Next({ id }: { readonly id: string }) {
  const navigate = useNavigate();
  const { data } = useInfiniteQuery(reviews({ sort: 'due' }));
  const rows = data?.pages.flatMap(({ items }) => items) ?? [];
  const own = rows.findIndex((row) => row.screening_id === id);
  const next = rows[own + 1] ?? rows.find((row) => row.screening_id !== id);
  useKeys(next === undefined ? {} : { n: () => void navigate(casePath(next)) });
  return next === undefined ? null : <Link to={casePath(next)}>{resolve.next}</Link>;
}

function Open({ review: { screening_id: id, revision } }: { readonly review: ReviewDetail }) {
  const [action, setAction] = useState<'allow' | 'block'>();
  const [reason, setReason] = useState('');
  const change = useReviewChange<{ action: string; reason: string; revision: number }>(id, 'resolutions');
  useKeys({ r: () => setAction((before) => before ?? 'allow') });
  if (action === undefined) {
    return (
      <div className="row">
        <Button className="primary" onPress={() => setAction('allow')}>
          {resolve.allow}
        </Button>
        <Button className="danger" onPress={() => setAction('block')}>
          {resolve.block}
        </Button>
      </div>
    );
  }
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ action, reason, revision });
      }}
    >
      <LongText label={resolve.reason} value={reason} onChange={setReason} hint={resolve.reasonHint} autoFocus />
      {change.error !== null && <Problem text={change.error.message} />}
      <div className="row">
        <Button type="submit" className={action === 'allow' ? 'primary' : 'danger'} isDisabled={change.isPending}>
          {resolve.submit[action]}
        </Button>
        <Button onPress={() => setAction(undefined)}>{resolve.cancel}</Button>
      </div>
    </Form>
  );
}

interface PendingProps {
  readonly review: ReviewDetail;
  readonly resolution: ResolutionView;
  readonly mayApprove: boolean;
}

function Pending({ review: { screening_id: id }, resolution, mayApprove }: PendingProps) {
  const change = useReviewChange<{ resolution_id: string; approve: boolean; reason?: string }>(id, 'approvals');
  const answer = (): void => change.mutate({ resolution_id: resolution.resolution_id, approve: true });
  const [isRejecting, reject] = useState(false);
  const [reason, setReason] = useState('');
  const approve = useRef<HTMLButtonElement>(null);
  // Enter then approves: one key alone must not.
  useKeys(mayApprove ? { a: () => approve.current?.focus() } : {});
  return (
    <>
      <p>{resolve.pending(resolution.resolved_by.name, resolution.action)}</p>
      <blockquote className="plain">{resolution.reason}</blockquote>
      {change.error !== null && <Problem text={change.error.message} />}
      {mayApprove && isRejecting && (
        <Form
          onSubmit={(event) => {
            event.preventDefault();
            change.mutate({ resolution_id: resolution.resolution_id, approve: false, reason });
          }}
        >
          <LongText label={resolve.reason} value={reason} onChange={setReason} hint={resolve.reasonHint} autoFocus />
          <div className="row">
            <Button type="submit" className="danger" isDisabled={change.isPending}>
              {resolve.reject}
            </Button>
            <Button onPress={() => reject(false)}>{resolve.cancel}</Button>
          </div>
        </Form>
      )}
      {mayApprove && !isRejecting && (
        <div className="row">
          <Button ref={approve} className="primary" isDisabled={change.isPending} onPress={answer}>
            {resolve.approve}
          </Button>
          <Button isDisabled={change.isPending} onPress={() => reject(true)}>
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
function Reopen({ review: { screening_id: id, revision } }: { readonly review: ReviewDetail }) {
  const [isAsking, ask] = useState(false);
  const [reason, setReason] = useState('');
  const change = useReviewChange<{ reason: string; revision: number }>(id, 'reopenings');
  if (!isAsking) return <Button onPress={() => ask(true)}>{resolve.reopen}</Button>;
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ reason, revision });
      }}
    >
      <p className="muted">{resolve.reopenHint}</p>
      <LongText label={resolve.reason} value={reason} onChange={setReason} hint={resolve.reasonHint} autoFocus />
      {change.error !== null && <Problem text={change.error.message} />}
      <div className="row">
        <Button type="submit" className="primary" isDisabled={change.isPending}>
          {resolve.reopen}
        </Button>
        <Button onPress={() => ask(false)}>{resolve.cancel}</Button>
      </div>
    </Form>
  );
}
