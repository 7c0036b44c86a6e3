import { useQuery } from '@tanstack/react-query';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Link } from 'react-router';
import { useReviewChange } from '../api/changes.ts';
import { session } from '../api/queries.ts';
import type { ReviewDetail } from '../api/types.ts';
import { Assignment, type AssignmentBody } from '../parts/assignment.tsx';
import { Section, Time } from '../parts/basics.tsx';
import { NoteList } from '../parts/note-list.tsx';
import { Problem } from '../parts/states.tsx';
import { words } from '../words/en.ts';

export const keepers: readonly string[] = ['reviewer', 'approver', 'admin'];

export function Notes({ review: { screening_id: id, notes, assignee, due_at: due, case_id: group } }: { readonly review: ReviewDetail }) {
  const { data: who } = useQuery(session);
  const add = useReviewChange<{ text: string }>(id, 'notes');
  const assign = useReviewChange<AssignmentBody>(id, 'assignee', 'PUT');
  const plan = useReviewChange<{ due_at: string | null }>(id, 'due', 'PUT');
  const mayWrite = who != null && keepers.includes(who.role);
  return (
    <Section title={words.case.notes}>
      <p>
        {words.case.assignee}: {assignee ?? words.case.nobody} {mayWrite && <Assignment assignee={assignee} change={assign} />}
      </p>
      <p>
        {words.case.due}: {due === null ? words.case.noDue : <Time iso={due} />}{' '}
        {mayWrite && <DueChoice onChoose={(hours) => plan.mutate({ due_at: hours === null ? null : inHours(hours) })} />}
      </p>
      {[assign.error, plan.error].map((error, n) => error !== null && <Problem key={n === 0 ? 'assign' : 'plan'} text={error.message} />)}
      {group !== null && (
        <p>
          <Link to={`/app/cases/${group}`}>{words.cases.ofReview}</Link>
        </p>
      )}
      <NoteList notes={notes} change={mayWrite ? add : undefined} />
    </Section>
  );
}

/** Hours from now; null: no time. */
const dueIn = [4, 24, 168, null] as const;
const hourMs = 3_600_000;
const inHours = (hours: number): string => new Date(new Date().getTime() + hours * hourMs).toISOString();

function DueChoice({ onChoose }: { readonly onChoose: (hours: number | null) => void }) {
  return (
    <MenuTrigger>
      <Button className="small">{words.case.setDue}</Button>
      <Popover className="popover">
        <Menu aria-label={words.case.setDue} onAction={(key) => onChoose(key === 'none' ? null : Number(key))}>
          {dueIn.map((hours) => (
            <MenuItem key={hours ?? 'none'} id={String(hours ?? 'none')} className="option">
              {hours === null ? words.case.noDue : words.case.dueIn(hours)}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
