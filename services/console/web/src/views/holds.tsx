import { useQuery } from '@tanstack/react-query';
import { Fragment, type RefObject, useRef, useState } from 'react';
import { Form } from 'react-aria-components';
import { Link, useParams } from 'react-router';
import { useCaseChange } from '../api/changes.ts';
import { caseOf, session } from '../api/queries.ts';
import type { CaseDetail } from '../api/types.ts';
import { announce, focusAfterAct } from '../parts/announce.tsx';
import { Assignment, type AssignmentBody } from '../parts/assignment.tsx';
import { Badge, Facts, Hash, Section, Time, Usd } from '../parts/basics.tsx';
import { useDraft } from '../parts/draft.ts';
import { Choice, LongText } from '../parts/fields.tsx';
import { NoteList } from '../parts/note-list.tsx';
import { PendingButton } from '../parts/pending-button.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { Loaded, Problem } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { decimal, utc } from '../words/format.ts';
import { Attachments } from './attachments.tsx';
import { keyInWords } from './cases.tsx';
import { keepers } from './notes.tsx';

const { cases: texts } = words;

interface Props {
  readonly found: CaseDetail;
  readonly mayWrite: boolean;
}

/** Related holds, and the work of people on them. */
export function HoldsView() {
  const { id = '' } = useParams();
  const read = useQuery(caseOf(id));
  const { data: who } = useQuery(session);
  const mayWrite = who != null && keepers.includes(who.role);
  return (
    <Loaded read={read} missing={texts.missing}>
      {(found) => (
        <Fragment key={found.case_id}>
          <Head found={found} />
          <div className="columns wide-left">
            <Holds found={found} />
            <Work found={found} mayWrite={mayWrite} />
          </div>
          <div className="columns wide-left">
            <Section title={words.case.notes}>
              <Notes found={found} mayWrite={mayWrite} />
            </Section>
            <Attachments path={`/v1/cases/${found.case_id}`} attachments={found.attachments} mayWrite={mayWrite} />
          </div>
        </Fragment>
      )}
    </Loaded>
  );
}

function Head({ found: { keys, state, outcome, escalated_at: escalated } }: Pick<Props, 'found'>) {
  return (
    <header className="case-head">
      <h1>
        {texts.one}: {keys.map(keyInWords).join(', ')}
      </h1>
      <Badge tone={state}>{outcome === null ? texts.states[state] : texts.outcomes[outcome]}</Badge>
      {escalated !== null && state === 'open' && <Badge tone="severe">{texts.escalated}</Badge>}
    </header>
  );
}

function Holds({ found: { screenings } }: Pick<Props, 'found'>) {
  return (
    <Section title={texts.holds}>
      <SmallTable
        label={texts.holds}
        file="holds"
        rows={screenings}
        keyOf={({ screening_id: id }) => id}
        columns={[
          {
            name: words.columns.requested,
            cell: ({ screening_id: id, requested_at: at }) => <Link to={`/app/screenings/${id}`}>{<Time iso={at} />}</Link>,
            value: ({ requested_at: at }) => at,
          },
          {
            name: words.columns.kind,
            cell: ({ kind }) => <span className="number">{words.kinds[kind]}</span>,
            value: ({ kind }) => words.kinds[kind],
          },
          {
            name: words.columns.amount,
            isNumber: true,
            cell: ({ amount, coin }) => `${decimal(amount, 6)} ${coin}`,
            value: ({ amount }) => amount,
          },
          { name: words.fields.coin, value: ({ coin }) => coin },
          {
            name: words.columns.value,
            isNumber: true,
            cell: ({ usd_value: value }) => <Usd value={value} />,
            value: ({ usd_value: value }) => value,
          },
          {
            name: words.columns.counterparty,
            cell: ({ counterparty: other }) => (other === null ? '–' : <Hash value={other} what={words.columns.counterparty} />),
            value: ({ counterparty: other }) => other,
          },
          { name: words.columns.customer, cell: ({ user_id: user }) => user ?? '–', value: ({ user_id: user }) => user },
          {
            name: words.columns.level,
            cell: ({ level }) => (level === null ? '–' : <Badge tone={level}>{words.levels[level]}</Badge>),
            value: ({ level }) => level && words.levels[level],
          },
          {
            name: words.filters.action,
            cell: ({ action }) => (action === null ? '–' : <Badge tone={action}>{words.actions[action]}</Badge>),
            value: ({ action }) => action && words.actions[action],
          },
          { name: words.screenings.one, value: ({ screening_id: id }) => id },
          {
            name: texts.files,
            cell: ({ screening_id: id, requested_at: at }) => (
              <a href={`/v1/reviews/${id}/export`} download title={utc(at)}>
                {words.case.file}
              </a>
            ),
          },
        ]}
      />
    </Section>
  );
}

function Notes({ found: { case_id: id, notes }, mayWrite }: Props) {
  const add = useCaseChange<{ text: string }>(id, 'notes');
  return <NoteList notes={notes} change={mayWrite ? add : undefined} />;
}

function Work({ found, mayWrite }: Props) {
  const { case_id: id, assignee, due_at: due, opened_at: opened, waiting, usd, outcome, outcome_reason: reason, outcome_by: by } = found;
  const assign = useCaseChange<AssignmentBody>(id, 'assignee', 'PUT');
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <Section title={texts.work} headingRef={heading}>
      <Facts
        rows={[
          [texts.opened, <Time key="opened" iso={opened} />],
          [texts.waiting, String(waiting)],
          [words.columns.value, <Usd key="usd" value={usd} />],
          [words.case.due, due === null ? null : <Time iso={due} />],
          [words.case.assignee, assignee ?? words.case.nobody],
          [texts.outcome, outcome === null ? null : `${texts.outcomes[outcome]} ${texts.by(by?.name ?? '')}`],
          [texts.reason, reason],
        ]}
      />
      {mayWrite && (
        <div className="row">
          <Assignment assignee={assignee} change={assign} />
        </div>
      )}
      {assign.error !== null && <Problem text={assign.error.message} />}
      {mayWrite && <Outcome key={found.state} found={found} heading={heading} />}
    </Section>
  );
}

type CaseOutcome = NonNullable<CaseDetail['outcome']>;

interface OutcomeProps extends Pick<Props, 'found'> {
  /** It gets the focus when the form goes. */
  readonly heading: RefObject<HTMLHeadingElement | null>;
}

/** An outcome closes the case; another reason opens it again. */
function Outcome({ found: { case_id: id, state, waiting }, heading }: OutcomeProps) {
  const [outcome, setOutcome] = useState<CaseOutcome>();
  const { data: who } = useQuery(session);
  const { text: reason = '', keep: setReason, forget } = useDraft(`outcome ${id} ${state} ${who?.name ?? ''}`);
  const change = useCaseChange<{ outcome: CaseOutcome | null; reason: string }>(id, 'outcome', 'PUT', (_, { outcome: set }) => {
    forget();
    announce(set === null ? texts.reopened : texts.closedAs(texts.outcomes[set]));
    focusAfterAct(heading.current);
  });
  const isOpen = state === 'open';
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isOpen || outcome !== undefined) change.mutate({ outcome: isOpen && outcome !== undefined ? outcome : null, reason });
      }}
    >
      {isOpen && (
        <Choice
          label={texts.outcome}
          value={outcome ?? ''}
          options={texts.outcomes}
          onChange={(next) => setOutcome(next as CaseOutcome)}
          isRequired
        />
      )}
      <LongText label={texts.reason} value={reason} onChange={setReason} />
      {isOpen && waiting > 0 && <p className="problem">{texts.stillWait(waiting)}</p>}
      {change.error !== null && <Problem text={change.error.message} />}
      <PendingButton type="submit" className="primary" isPending={change.isPending}>
        {isOpen ? texts.close : texts.reopen}
      </PendingButton>
    </Form>
  );
}
