import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Form, Input, Label, TextField } from 'react-aria-components';
import { Link, useNavigate, useParams } from 'react-router';
import { acts, auditEntry, auditKeys, checkpoint, session } from '../api/queries.ts';
import type { ActView, AuditEntryView } from '../api/types.ts';
import { isSignedNote, type Proof, readCheckpoint, verifyEntry } from '../audit/verify.ts';
import { ExportLink } from '../parts/export-link.tsx';
import { Badge, Facts, Hash, Section, Time } from '../parts/basics.tsx';
import { LongList } from '../parts/long-list.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { Loaded } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { shortened, whole } from '../words/format.ts';

const { audit: text } = words;

export function AuditView() {
  const role = useQuery(session).data?.role;
  const mayReadActs = role === 'auditor' || role === 'admin';
  const { event_id: id } = useParams();
  return (
    <>
      <h1>{text.title}</h1>
      <Find given={id ?? ''} key={id} />
      {id !== undefined && <Entry key={id} id={id} />}
      <LatestCheckpoint />
      {mayReadActs && <Acts />}
    </>
  );
}

function Find({ given }: { readonly given: string }) {
  const [id, setId] = useState(given);
  const navigate = useNavigate();
  return (
    <Form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim() !== '') void navigate(`/app/audit/${encodeURIComponent(id.trim())}`);
      }}
    >
      <TextField className="field" value={id} onChange={setId} maxLength={100}>
        <Label>{text.eventId}</Label>
        <Input spellCheck="false" autoComplete="off" />
      </TextField>
      <Button type="submit">{text.prove}</Button>
    </Form>
  );
}

function LatestCheckpoint() {
  const note = useQuery(checkpoint);
  const keys = useQuery(auditKeys);
  const isSigned = useQuery({
    queryKey: ['audit', 'signed', note.data, keys.data],
    queryFn: () => isSignedNote(note.data ?? '', keys.data ?? ''),
    enabled: note.data !== undefined && keys.data !== undefined,
  });
  return (
    <Section title={text.checkpoint}>
      <p className="muted">{text.checkpointHint}</p>
      <Loaded read={note}>
        {(data) => {
          const { origin, size, root, signers } = readCheckpoint(data);
          return (
            <>
              <Facts
                rows={[
                  [text.log, origin],
                  [text.size, whole(size)],
                  [text.root, <Hash key="root" value={root} what={text.root} />],
                  [text.signers, [...new Set(signers)].join(', ')],
                  [text.signature, <Verdict key="signature" isGood={isSigned.data} />],
                ]}
              />
              <details>
                <summary>{text.note}</summary>
                <pre>{data}</pre>
              </details>
            </>
          );
        }}
      </Loaded>
      <Loaded read={keys}>
        {(data) => (
          <details>
            <summary>{text.keys}</summary>
            <p className="muted">{text.keysHint}</p>
            <pre>{data}</pre>
          </details>
        )}
      </Loaded>
    </Section>
  );
}

/** Null: this browser cannot tell. */
function Verdict({ isGood }: { readonly isGood: boolean | null | undefined }) {
  if (isGood === undefined) return <span className="muted">{text.verifying}</span>;
  if (isGood === null) return <Badge tone="moderate">{text.unable}</Badge>;
  return <Badge tone={isGood ? 'low' : 'severe'}>{isGood ? text.good : text.bad}</Badge>;
}

function Entry({ id }: { readonly id: string }) {
  const read = useQuery(auditEntry(id));
  const keys = useQuery(auditKeys);
  return (
    <Loaded read={read} missing={text.none}>
      {(data) => (
        <div className="columns">
          <Loaded read={keys}>{(own) => <Proven id={id} entry={data} keys={own} />}</Loaded>
          <Content entry={data} />
        </div>
      )}
    </Loaded>
  );
}

const steps = [
  ['isContent', text.content],
  ['isIncluded', text.included],
  ['isSigned', text.signed],
] as const satisfies readonly (readonly [keyof Proof, string])[];

function verdictOf(proof: Proof): boolean | null {
  const each: readonly (boolean | null)[] = Object.values(proof);
  if (each.includes(false)) return false;
  return each.includes(null) ? null : true;
}

function conclusion(isProven: boolean | null, index: number): string {
  if (isProven === null) return text.unsigned;
  return isProven ? text.proven(index) : text.unproven;
}

/** The browser computes every hash and verifies the signature itself. */
function Proven({ id, entry, keys }: { readonly id: string; readonly entry: AuditEntryView; readonly keys: string }) {
  const { data: proof } = useQuery({
    queryKey: ['audit', 'proof', id, entry, keys],
    queryFn: () => verifyEntry(id, entry, keys),
  });
  const isProven = proof && verdictOf(proof);
  return (
    <Section title={text.proof} isDetail>
      <p role="status">
        <Verdict isGood={isProven} /> {isProven !== undefined && conclusion(isProven, entry.index)}
      </p>
      <ul className="steps">
        {steps.map(([name, about]) => (
          <li key={name}>
            <Verdict isGood={proof?.[name]} />
            <span>{name === 'isContent' && entry.erased_by !== null ? text.erased : about}</span>
          </li>
        ))}
      </ul>
      <Facts
        rows={[
          [text.index, whole(entry.index)],
          [text.size, whole(entry.tree_size)],
          [text.leafHash, <Hash key="leaf" value={entry.leaf_hash} what={text.leafHash} />],
          [text.path, text.hashes(entry.inclusion_proof.length)],
        ]}
      />
    </Section>
  );
}

function Content({ entry }: { readonly entry: AuditEntryView }) {
  return (
    <Section title={text.event}>
      <Facts
        rows={[
          [text.eventId, <Hash key="id" value={entry.event_id} what={text.eventId} />],
          [text.topic, entry.topic],
          [text.at, <Time key="at" iso={entry.event_time} />],
          [text.recorded, <Time key="recorded" iso={entry.recorded_at} />],
          [text.key, entry.key],
          [
            text.screening,
            entry.screening_id === null ? null : (
              <Link key="screening" to={`/app/screenings/${entry.screening_id}`}>
                {entry.screening_id}
              </Link>
            ),
          ],
          [text.place, `${entry.log_partition} / ${entry.log_offset}`],
          [text.conflict, entry.conflicts_with],
          [
            text.erasedBy,
            entry.erased_by === null ? null : (
              <Link key="erased" to={`/app/audit/${entry.erased_by}`}>
                {entry.erased_by}
              </Link>
            ),
          ],
        ]}
      />
      <h3>{text.data}</h3>
      {entry.data === null ? (
        <p className="muted">{entry.erased_by === null ? text.unreadable : text.erased}</p>
      ) : (
        <pre tabIndex={0}>{JSON.stringify(entry.data, null, 2)}</pre>
      )}
      <details>
        <summary>{text.leaf}</summary>
        <pre>{entry.leaf}</pre>
      </details>
    </Section>
  );
}

/** What people did; each act is an event that can be proved. */
function Acts() {
  const read = useInfiniteQuery(acts);
  return (
    <Section title={text.acts}>
      <p className="muted">{text.actsHint}</p>
      <Loaded read={read}>
        {({ pages }) => (
          <>
            <LongList pages={pages} queryKey={acts.queryKey} />
            <SmallTable
              label={text.acts}
              none={text.noActs}
              rows={pages.flatMap(({ items }) => items)}
              keyOf={({ activity_id: id }) => id}
              columns={[
                { name: text.at, cell: ({ activity_id: id, recorded_at: at }) => <Link to={`/app/audit/${id}`}>{<Time iso={at} />}</Link> },
                { name: text.who, cell: ({ person }) => <span className="breaking">{person.name}</span> },
                { name: text.did, cell: ({ action }) => text.actions[action] },
                { name: text.subject, cell: (act) => <Subject of={act} /> },
                {
                  name: text.details,
                  cell: ({ details }) => (
                    <span className="breaking">{details.map(({ name, value }) => `${name}: ${cut(value ?? '–')}`).join('; ')}</span>
                  ),
                },
              ]}
            />
            {read.hasNextPage && (
              <Button isDisabled={read.isFetchingNextPage} onPress={() => void read.fetchNextPage()}>
                {words.states.more}
              </Button>
            )}
            <ExportLink list="activities" />
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Subject({ of: { subject_type: type, subject } }: { readonly of: ActView }) {
  if (type === 'screening') return <Link to={`/app/screenings/${encodeURIComponent(subject)}`}>{shortened(subject)}</Link>;
  if (type === 'case') return <Link to={`/app/cases/${encodeURIComponent(subject)}`}>{shortened(subject)}</Link>;
  return <span title={subject}>{shortened(subject)}</span>;
}

const longest = 120;
/** The whole is in the event. */
const cut = (value: string): string => (value.length > longest ? `${value.slice(0, longest)}…` : value);
