import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components';
import type { ReviewDetail } from '../api/types.ts';
import { words } from '../words/en.ts';
import { Time } from './basics.tsx';
import { LongText } from './fields.tsx';
import { PendingButton } from './pending-button.tsx';
import { Problem } from './states.tsx';

interface Props {
  readonly notes: ReviewDetail['notes'];
  /** Adds one; undefined where the reader may not. */
  readonly change: Pick<UseMutationResult<unknown, Error, { text: string }>, 'mutate' | 'error' | 'isPending'> | undefined;
}

export function NoteList({ notes, change }: Props) {
  const [text, setText] = useState('');
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
            change.mutate({ text }, { onSuccess: () => setText('') });
          }}
        >
          <LongText label={words.case.note} value={text} onChange={setText} />
          {change.error !== null && <Problem text={change.error.message} />}
          <PendingButton type="submit" isPending={change.isPending}>
            {words.case.addNote}
          </PendingButton>
        </Form>
      )}
    </>
  );
}
