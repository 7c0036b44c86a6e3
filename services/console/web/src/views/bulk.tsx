import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { session } from '../api/queries.ts';
import { request } from '../api/request.ts';
import type { ReviewView } from '../api/types.ts';
import { focusAfterAct } from '../parts/announce.tsx';
import { Usd } from '../parts/basics.tsx';
import { forgetDraft, useDraft } from '../parts/draft.ts';
import { LongText } from '../parts/fields.tsx';
import { Modal } from '../parts/modal.tsx';
import { focusHeading } from '../parts/view.ts';
import { words } from '../words/en.ts';
import { decimal, isSameName } from '../words/format.ts';

const { bulk: text } = words;

/** One after the other: each has the rules, the lock and the event of a single one. */
const atOnce = 4;

/** More are not looked at one by one. */
export const mostMarked = 100;

type Act = 'allow' | 'block' | 'approve' | 'take';

interface Refused {
  readonly review: ReviewView;
  readonly why: string;
}

interface BulkProps {
  /** As they were when the reader marked them: a review that has changed since is refused. */
  readonly marked: readonly ReviewView[];
  readonly onDone: (done: readonly string[]) => void;
  readonly onClear: () => void;
}

/** Acts on the marked reviews. What is refused stays marked, with the reason. */
export function Bulk({ marked, onDone, onClear }: BulkProps) {
  const { data: who } = useQuery(session);
  const client = useQueryClient();
  const [asking, ask] = useState<Act>();
  const [progress, setProgress] = useState(0);
  const status = useRef<HTMLDivElement>(null);
  const rowsOf = (what: Act): ReviewView[] => marked.filter((row) => fits(what, row, who?.name));
  const act = useMutation({
    mutationFn: async ({ what, reason }: { readonly what: Act; readonly reason: string }) => {
      const rows = rowsOf(what);
      const done: string[] = [];
      const refused: Refused[] = [];
      const waiting = [...rows];
      const work = async (): Promise<void> => {
        for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
          const review = row;
          await send(what, review, reason, who?.name ?? '').then(
            () => done.push(review.screening_id),
            (error: Error) => refused.push({ review, why: error.message }),
          );
          setProgress(done.length + refused.length);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      // Where all are refused, the reason waits for the next try.
      if (done.length > 0) forgetDraft(draftKey(what, who?.name));
      onDone(done);
      return { what, done: done.length, refused };
    },
    onMutate: () => setProgress(0),
    onSuccess: () => focusAfterAct(status.current),
    onSettled: () =>
      Promise.all([client.invalidateQueries({ queryKey: ['reviews'] }), client.invalidateQueries({ queryKey: ['screenings'] })]),
  });
  const start = (what: Act, reason = ''): void => {
    ask(undefined);
    act.mutate({ what, reason });
  };
  const countOf = (what: Act): number => rowsOf(what).length;
  const isOthers = ({ assignee }: ReviewView): boolean => assignee !== null && assignee !== who?.name;
  const isPerson = who?.role === 'reviewer' || who?.role === 'approver';
  if (marked.length === 0 && act.isIdle) return null;
  return (
    <section className="card bulk" aria-label={text.label}>
      <div className="row">
        <strong>{marked.length < mostMarked ? text.marked(marked.length) : text.most(marked.length)}</strong>
        {isPerson && (
          <>
            <Button isDisabled={act.isPending || countOf('allow') === 0} onPress={() => ask('allow')}>
              {text.acts.allow} ({countOf('allow')})
            </Button>
            <Button isDisabled={act.isPending || countOf('block') === 0} onPress={() => ask('block')}>
              {text.acts.block} ({countOf('block')})
            </Button>
          </>
        )}
        {who?.role === 'approver' && (
          <Button isDisabled={act.isPending || countOf('approve') === 0} onPress={() => ask('approve')}>
            {text.acts.approve} ({countOf('approve')})
          </Button>
        )}
        <Button isDisabled={act.isPending || marked.length === 0} onPress={() => (marked.some(isOthers) ? ask('take') : start('take'))}>
          {text.acts.take}
        </Button>
        <Button
          isDisabled={act.isPending}
          onPress={() => {
            act.reset();
            onClear();
            focusHeading();
          }}
        >
          {text.clear}
        </Button>
      </div>
      <div role="status" ref={status} tabIndex={-1}>
        {act.isPending && <p>{text.running(progress)}</p>}
        {act.data !== undefined && <p>{text.done[act.data.what](act.data.done)}</p>}
        {act.data !== undefined && act.data.refused.length > 0 && (
          <>
            <p className="overdue">{text.refused(act.data.refused.length)}</p>
            <ul className="plain-list">
              {act.data.refused.map(({ review: { screening_id: id, kind, transfer }, why }) => (
                <li key={id}>
                  {words.kinds[kind]} {decimal(transfer.amount, 6)} {transfer.coin}: {why}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      {asking !== undefined && (
        <Question
          what={asking}
          draftKey={draftKey(asking, who?.name)}
          rows={asking === 'take' ? marked.filter(isOthers) : rowsOf(asking)}
          onClose={() => ask(undefined)}
          onGiven={(reason) => start(asking, reason)}
        />
      )}
    </section>
  );
}

const draftKey = (what: Act, name = ''): string => `bulk ${what} ${name}`;

interface QuestionProps {
  readonly what: Act;
  /** Of the reason. */
  readonly draftKey: string;
  readonly rows: readonly ReviewView[];
  readonly onGiven: (reason: string) => void;
  readonly onClose: () => void;
}

/** What is about to be done to which transfers, and why. */
function Question({ what, draftKey: key, rows, onGiven, onClose }: QuestionProps) {
  const { text: reason = '', keep: setReason } = useDraft(key);
  const cancel = (): void => {
    setReason(undefined);
    onClose();
  };
  return (
    <Modal title={text.title[what](rows.length)} onClose={onClose} isDismissable={reason === ''}>
      <p className="muted">{{ allow: text.hint, block: text.hint, approve: text.approveHint, take: text.takeHint }[what]}</p>
      <ul className="plain-list listed" tabIndex={0} aria-label={text.label}>
        {rows.map((row) => (
          <Line key={row.screening_id} row={row} what={what} />
        ))}
      </ul>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          onGiven(reason);
        }}
      >
        {(what === 'allow' || what === 'block') && (
          <LongText label={words.resolve.reason} value={reason} onChange={setReason} hint={words.resolve.reasonHint} autoFocus />
        )}
        <p className="row">
          <Button type="submit" className={what === 'block' ? 'danger' : 'primary'}>
            {{ ...words.resolve.submit, approve: words.resolve.approve, take: text.acts.take }[what]}
          </Button>
          <Button onPress={cancel}>{words.resolve.cancel}</Button>
        </p>
      </Form>
    </Modal>
  );
}

function Line({ row: { kind, transfer, result, resolution, assignee }, what }: Pick<QuestionProps, 'what'> & { readonly row: ReviewView }) {
  return (
    <li>
      {words.kinds[kind]} {decimal(transfer.amount, 6)} {transfer.coin}, <Usd value={transfer.usd_value} />
      {result?.risk_level !== undefined && `, ${words.levels[result.risk_level]}`}
      {what === 'take' && `, ${words.columns.assignee}: ${assignee ?? ''}`}
      {what === 'approve' && resolution !== null && (
        <div>
          <strong>{words.actions[resolution.action]}</strong>, {resolution.resolved_by.name}: {resolution.reason}
        </div>
      )}
    </li>
  );
}

/** Nobody approves their own resolution. */
function fits(what: Act, { state, resolution }: ReviewView, name: string | undefined): boolean {
  if (what === 'take') return true;
  if (what === 'approve') return state === 'pending_approval' && resolution !== null && !isSameName(name, resolution.resolved_by.name);
  return state === 'open';
}

function send(what: Act, { screening_id: id, revision, resolution, assignee }: ReviewView, reason: string, name: string): Promise<unknown> {
  const path = `/v1/reviews/${id}`;
  if (what === 'take') return request(`${path}/assignee`, { method: 'PUT', body: { assignee: name, expected_assignee: assignee } });
  if (what === 'approve')
    return request(`${path}/approvals`, { method: 'POST', body: { resolution_id: resolution?.resolution_id, approve: true } });
  return request(`${path}/resolutions`, { method: 'POST', body: { action: what, reason, revision } });
}
