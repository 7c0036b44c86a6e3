import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { useReviewChange } from '../api/changes.ts';
import { session } from '../api/queries.ts';
import type { ReviewDetail } from '../api/types.ts';
import { Section, Time } from '../parts/basics.tsx';
import { LongText } from '../parts/fields.tsx';
import { Problem } from '../parts/states.tsx';
import { words } from '../words/en.ts';

const keepers: readonly string[] = ['reviewer', 'approver', 'admin'];

export function Notes({ review: { screening_id: id, notes, assignee, due_at: due } }: { readonly review: ReviewDetail }) {
  const [text, setText] = useState('');
  const { data: who } = useQuery(session);
  const add = useReviewChange<{ text: string }>(id, 'notes');
  const assign = useReviewChange<{ assignee: string | null }>(id, 'assignee', 'PUT');
  const mayWrite = who != null && keepers.includes(who.role);
  return (
    <Section title={words.case.notes}>
      <p>
        {words.case.assignee}: {assignee ?? words.case.nobody}{' '}
        {mayWrite && (
          <Button
            className="small"
            isDisabled={assign.isPending}
            onPress={() => assign.mutate({ assignee: assignee === who.name ? null : who.name })}
          >
            {assignee === who.name ? words.case.release : words.case.take}
          </Button>
        )}
      </p>
      <p>
        {words.case.due}: {due === null ? words.case.noDue : <Time iso={due} />}
      </p>
      {assign.error !== null && <Problem text={assign.error.message} />}
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
      {mayWrite && (
        <Form
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate({ text }, { onSuccess: () => setText('') });
          }}
        >
          <LongText label={words.case.note} value={text} onChange={setText} />
          {add.error !== null && <Problem text={add.error.message} />}
          <Button type="submit" isDisabled={add.isPending}>
            {words.case.addNote}
          </Button>
        </Form>
      )}
    </Section>
  );
}
