import { type UseMutationResult, useQuery } from '@tanstack/react-query';
import { Form } from 'react-aria-components';
import { useLocation } from 'react-router';
import { session } from '../api/queries.ts';
import type { ReviewDetail } from '../api/types.ts';
import { words } from '../words/en.ts';
import { Time } from './basics.tsx';
import { useDraft } from './draft.ts';
import { LongText } from './fields.tsx';
import { PendingButton } from './pending-button.tsx';
import { Problem } from './states.tsx';

interface Props {
  readonly notes: ReviewDetail['notes'];
  /** Adds one; undefined where the reader may not. */
  readonly change: Pick<UseMutationResult<unknown, Error, { text: string }>, 'mutateAsync' | 'error' | 'isPending'> | undefined;
}

export function NoteList({ notes, change }: Props) {
  const { data: who } = useQuery(session);
  // A view has notes of one review or case.
  const { pathname } = useLocation();
  const { text = '', keep, sent } = useDraft(`note ${pathname} ${who?.name ?? ''}`);
  return (
    <>
      {notes.length === 0 && <p className="muted">{words.case.noNotes}</p>}
      <ul className="notes">
        {notes.map((note) => (
          <li key={note.note_id}>
            <div className="muted">
              {note.written_by.name}, <Time iso={note.written_at} />
            </div>
            <p className="plain">{note.text}</p>
          </li>
        ))}
      </ul>
      {change !== undefined && (
        <Form
          onSubmit={(event) => {
            event.preventDefault();
            // Also where the reader has left the view before the answer. The page shows the error.
            change.mutateAsync({ text }).then(
              () => sent(text),
              () => undefined,
            );
          }}
        >
          <LongText label={words.case.note} value={text} onChange={keep} />
          {change.error !== null && <Problem text={change.error.message} />}
          <PendingButton type="submit" isPending={change.isPending}>
            {words.case.addNote}
          </PendingButton>
        </Form>
      )}
    </>
  );
}
