import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { Link, useSearchParams } from 'react-router';
import { useLabelChange } from '../api/changes.ts';
import { labelChanges, labelRequests, labels, labelSources, session } from '../api/queries.ts';
import type { LabelRequestView, LabelSourcesView, LabelView } from '../api/types.ts';
import { announce, focusAfterAct } from '../parts/announce.tsx';
import { Badge, Hash, Section, Time } from '../parts/basics.tsx';
import { ExportLink } from '../parts/export-link.tsx';
import { ShortText } from '../parts/fields.tsx';
import { PendingButton } from '../parts/pending-button.tsx';
import { type SmallColumn, SmallTable } from '../parts/small-table.tsx';
import { Loaded, Problem } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { duration, isSameName, whole } from '../words/format.ts';
import { AskForChange } from './label-request.tsx';
import { keepers } from './notes.tsx';

const { labels: text } = words;

/** Begins with what needs a person: requests that wait, lists that fail, and conflicts. */
export function LabelsView() {
  const { data: who } = useQuery(session);
  const [given] = useSearchParams();
  const filter = { address: given.get('address') ?? '', source: given.get('source') ?? '' };
  const ended = ['end', 'of', 'category'].map((name) => given.get(name) ?? '');
  const overview = useQuery(labelSources);
  return (
    <>
      <h1>{text.title}</h1>
      <p className="muted">{text.hint}</p>
      <Loaded read={overview} missing={text.elsewhere}>
        {(data) => (
          <>
            <Waiting />
            <Lists rows={data.lists} readAt={overview.dataUpdatedAt} />
            <Conflicts rows={data.conflicts} />
            <Find key={JSON.stringify(filter)} filter={filter} />
            {who != null && mayAsk(who.role) && <AskForChange key={ended.join(' ')} ended={ended} name={who.name} />}
            <Sources rows={data.sources} readAt={overview.dataUpdatedAt} />
            <Answered />
            <Changes />
          </>
        )}
      </Loaded>
    </>
  );
}

function Find({ filter }: { readonly filter: { readonly address: string; readonly source: string } }) {
  const [, setGiven] = useSearchParams();
  const [address, setAddress] = useState(filter.address);
  const [source, setSource] = useState(filter.source);
  const isAsked = filter.address !== '' || filter.source !== '';
  const place = useRef<HTMLDivElement>(null);
  // The link of a source is far below what it finds.
  useEffect(() => {
    if (isAsked) place.current?.scrollIntoView();
  }, [isAsked, filter.address, filter.source]);
  return (
    <div ref={place}>
      <Section title={text.find}>
        <Form
          className="filters"
          onSubmit={(event) => {
            event.preventDefault();
            setGiven((before) => {
              // The label that is being ended stays.
              const next = new URLSearchParams(before);
              for (const [name, value] of Object.entries({ address: address.trim(), source: source.trim() })) {
                if (value === '') next.delete(name);
                else next.set(name, value);
              }
              return next;
            });
          }}
        >
          <ShortText label={text.address} value={address} onChange={setAddress} />
          <ShortText label={text.source} value={source} onChange={setSource} />
          <Button type="submit">{text.submit}</Button>
        </Form>
        {isAsked && <Found filter={filter} />}
      </Section>
    </div>
  );
}

function Found({ filter }: { readonly filter: { readonly address: string; readonly source: string } }) {
  const read = useQuery(labels(filter));
  const { data: who } = useQuery(session);
  return (
    <Loaded read={read}>
      {({ items }) => (
        <>
          {items.length > 0 && <ExportLink list="labels" filter={filter} />}
          <SmallTable
            label={text.found}
            none={text.noneFound}
            rows={items}
            keyOf={({ chain, address, name, category, source, valid_from: from }) =>
              [chain, address, name, category, source, from].join(' ')
            }
            columns={[
              { name: text.name, cell: ({ name }) => name },
              { name: text.category, cell: ({ category }) => category },
              { name: text.address, cell: ({ address }) => <Hash value={address} what={text.address} to={addressPath(address)} /> },
              { name: text.chain, cell: ({ chain }) => chain },
              { name: text.source, cell: ({ source }) => source },
              { name: text.until, cell: ({ valid_to: to }) => (to === null ? text.open : <Time iso={to} />) },
              ...(mayAsk(who?.role) ? [endColumn(filter)] : []),
            ]}
          />
        </>
      )}
    </Loaded>
  );
}

function endColumn(filter: { readonly address: string; readonly source: string }) {
  return {
    name: text.change,
    cell: ({ address, source, category, name }: LabelView) => (
      <Link
        aria-label={text.endOf(name)}
        to={`/app/labels?${new URLSearchParams({ ...filter, end: address, of: source, category }).toString()}`}
      >
        {text.end}
      </Link>
    ),
  };
}

const mayAsk = (role: string | undefined): boolean => role !== undefined && keepers.includes(role);

const addressPath = (address: string): string => `/app/addresses/${encodeURIComponent(address)}`;

const tones = { approved: 'moderate', rejected: 'none', applied: 'low', failed: 'severe' } as const;

const requestColumns: readonly SmallColumn<LabelRequestView>[] = [
  { name: text.change, cell: (row) => <InWords row={row} />, value: ({ action }) => text.actions[action] },
  { name: text.name, value: ({ name }) => name },
  { name: text.category, value: ({ category }) => category },
  { name: text.source, value: ({ source }) => source },
  { name: text.address, value: ({ address }) => address },
  { name: text.chain, value: ({ chain }) => chain },
  { name: text.until, value: ({ ended_at: at }) => at },
  { name: text.reason, cell: ({ reason }) => reason, value: ({ reason }) => reason },
  {
    name: text.by,
    value: ({ requested_by: by }) => by,
    cell: ({ requested_by: by, requested_at: at }) => (
      <>
        {by}, <Time iso={at} />
      </>
    ),
  },
  { name: text.requestedAt, value: ({ requested_at: at }) => at },
];

function Waiting() {
  const read = useQuery(labelRequests);
  const { data: who } = useQuery(session);
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <Section title={text.waiting} headingRef={heading}>
      <Loaded read={read}>
        {({ items }) => (
          <SmallTable
            label={text.waiting}
            none={text.noneWaits}
            file="label-requests"
            rows={items.filter(({ state }) => state === 'waiting')}
            keyOf={({ request_id: id }) => id}
            columns={[
              ...requestColumns,
              {
                name: text.answer,
                cell: ({ request_id: id, requested_by: by }) => {
                  const isOwn = isSameName(who?.name, by);
                  return who?.role === 'approver' || (isOwn && mayAsk(who?.role)) ? (
                    <Answer id={id} isOwn={isOwn} heading={heading} />
                  ) : (
                    '–'
                  );
                },
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function Answered() {
  const read = useQuery(labelRequests);
  return (
    <Section title={text.answered}>
      <Loaded read={read}>
        {({ items }) => (
          <SmallTable
            label={text.answered}
            none={text.noneAnswered}
            file="answered-label-requests"
            rows={items.filter(({ state }) => state !== 'waiting')}
            keyOf={({ request_id: id }) => id}
            columns={[
              ...requestColumns,
              { name: text.state, cell: (row) => <State row={row} />, value: stateOf },
              { name: text.count, value: ({ labels: count }) => count },
              { name: text.failure, value: ({ failure }) => failure },
              { name: text.answeredBy, cell: ({ answered_by: by }) => by ?? '–', value: ({ answered_by: by }) => by },
              { name: text.answeredAt, value: ({ answered_at: at }) => at },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function InWords({ row }: { readonly row: LabelRequestView }) {
  const { action, name, category, source, address, chain, ended_at: end, state } = row;
  const sentence =
    action === 'add'
      ? text.inWords.add(name ?? '', category ?? '', source ?? '')
      : action === 'end'
        ? text.inWords.end(source ?? '', category ?? '')
        : text.inWords.withdraw(source ?? '');
  return (
    <>
      {sentence}
      {address !== null && (
        <>
          , {text.of} <Hash value={address} what={text.address} to={addressPath(address)} />
        </>
      )}
      {chain !== null && <> {text.on(chain)}</>}
      {action === 'end' && (
        <>
          ,{' '}
          {end === null ? (
            text.endsWhenApplied
          ) : (
            <>
              {text.ends} <Time iso={end} />
            </>
          )}
        </>
      )}
      {state === 'waiting' && action === 'end' && <Touched row={row} />}
      {state === 'waiting' && action === 'withdraw' && <Withdrawn source={source} />}
    </>
  );
}

/** Of one read of labels. */
const mostRead = 200;

/** The labels that a request to end some is about. */
function Touched({ row: { address, source, category } }: { readonly row: LabelRequestView }) {
  const { data, dataUpdatedAt: readAt } = useQuery(labels({ address: address ?? '', source: source ?? '' }));
  if (data === undefined) return null;
  const found = data.items.filter(
    ({ category: own, valid_to: to }) => (category === null || own === category) && (to === null || Date.parse(to) > readAt),
  );
  const names = [...new Set(found.map(({ chain }) => chain))].join(', ');
  return <div className="muted">{text.touches(found.length, data.items.length >= mostRead, names)}</div>;
}

/** All labels of a source. */
function Withdrawn({ source }: { readonly source: string | null }) {
  const { data } = useQuery(labelSources);
  if (data === undefined) return null;
  const own = data.sources.filter((row) => row.source === source);
  return (
    <div className="muted">
      {text.touches(
        own.reduce((sum, { in_force: count }) => sum + count, 0),
        false,
        '',
      )}
    </div>
  );
}

function stateOf({ state, requested_by: first, answered_by: second }: LabelRequestView): string | null {
  if (state === 'waiting') return null;
  const isTakenBack = state === 'rejected' && isSameName(first, second ?? '');
  return text.states[isTakenBack ? 'takenBack' : state];
}

function State({ row }: { readonly row: LabelRequestView }) {
  const { state, labels: count, failure } = row;
  if (state === 'waiting') return null;
  return (
    <>
      <Badge tone={tones[state]}>{stateOf(row)}</Badge> {count !== null && text.counted(count)} {failure}
    </>
  );
}

interface AnswerProps {
  readonly id: string;
  readonly isOwn: boolean;
  /** It gets the focus when the request leaves the table. */
  readonly heading: RefObject<HTMLHeadingElement | null>;
}

/** Nobody approves their own request; they may take it back. */
function Answer({ id, isOwn, heading }: AnswerProps) {
  const change = useLabelChange<{ approve: boolean }>(`/${id}/answers`, (_, { approve }) => {
    announce(text.done[approve ? 'approved' : isOwn ? 'takenBack' : 'rejected']);
    focusAfterAct(heading.current);
  });
  return (
    <>
      {change.error !== null && <Problem text={change.error.message} />}
      <div className="row">
        {!isOwn && (
          <PendingButton className="small primary" isPending={change.isPending} onPress={() => change.mutate({ approve: true })}>
            {text.approve}
          </PendingButton>
        )}
        <PendingButton className="small" isPending={change.isPending} onPress={() => change.mutate({ approve: false })}>
          {isOwn ? text.takeBack : text.reject}
        </PendingButton>
      </div>
    </>
  );
}

/** How long ago it was at `readAt`, in milliseconds since 1970. */
function Age({ iso, readAt }: { readonly iso: string | null; readonly readAt: number }) {
  if (iso === null) return <span className="muted">{text.never}</span>;
  return (
    <>
      {duration(Math.max(0, readAt - Date.parse(iso)) / 1_000)} <span className="muted">({<Time iso={iso} />})</span>
    </>
  );
}

function Lists({ rows, readAt }: { readonly rows: LabelSourcesView['lists']; readonly readAt: number }) {
  return (
    <Section title={text.lists}>
      <SmallTable
        label={text.lists}
        none={text.noLists}
        file="label-lists"
        rows={rows.toSorted((a, b) => Number(b.failures > 0) - Number(a.failures > 0))}
        keyOf={({ name }) => name}
        columns={[
          { name: text.list, cell: ({ name }) => name, value: ({ name }) => name },
          { name: text.checked, cell: ({ checked_at: at }) => <Age iso={at} readAt={readAt} />, value: ({ checked_at: at }) => at },
          {
            name: text.changed,
            cell: ({ changed_at: at }) => (at === null ? '–' : <Time iso={at} />),
            value: ({ changed_at: at }) => at,
          },
          { name: text.count, isNumber: true, cell: ({ labels: count }) => whole(count), value: ({ labels: count }) => count },
          {
            name: text.result,
            value: ({ failures, error, checked_at: at }) =>
              failures > 0 ? `${text.failures(failures)}: ${error ?? ''}` : at === null ? null : text.fine,
            cell: ({ failures, error, checked_at: at }) =>
              failures === 0 ? (
                at === null ? (
                  '–'
                ) : (
                  text.fine
                )
              ) : (
                <>
                  <Badge tone="severe">{text.failures(failures)}</Badge> <span className="breaking">{error}</span>
                </>
              ),
          },
        ]}
      />
    </Section>
  );
}

const kindOf = ({ source_kind: kind }: LabelSourcesView['sources'][number]): string => text.kinds[kind as keyof typeof text.kinds] ?? kind;

function Sources({ rows, readAt }: { readonly rows: LabelSourcesView['sources']; readonly readAt: number }) {
  return (
    <Section title={text.sources}>
      <SmallTable
        label={text.sources}
        none={text.noSources}
        file="label-sources"
        rows={rows}
        keyOf={({ source, source_kind: kind }) => `${kind} ${source}`}
        columns={[
          {
            name: text.source,
            cell: ({ source }) => <Link to={`/app/labels?source=${encodeURIComponent(source)}`}>{source}</Link>,
            value: ({ source }) => source,
          },
          { name: text.kind, cell: kindOf, value: kindOf },
          { name: text.count, isNumber: true, cell: ({ labels: count }) => whole(count), value: ({ labels: count }) => count },
          { name: text.inForce, isNumber: true, cell: ({ in_force: count }) => whole(count), value: ({ in_force: count }) => count },
          {
            name: text.age,
            cell: ({ imported_at: at }) => (at === null ? '–' : <Age iso={at} readAt={readAt} />),
            value: ({ imported_at: at }) => at,
          },
        ]}
      />
    </Section>
  );
}

function Conflicts({ rows }: { readonly rows: LabelSourcesView['conflicts'] }) {
  const claim = ({ categories, sources }: LabelSourcesView['conflicts'][number]['service']) => (
    <>
      {categories.join(', ')} <span className="muted">({sources.join(', ')})</span>
    </>
  );
  return (
    <Section title={text.conflicts}>
      {rows.length > 0 && <p className="muted">{text.conflictsHint}</p>}
      <SmallTable
        label={text.conflicts}
        none={text.noConflicts}
        file="label-conflicts"
        rows={rows}
        keyOf={({ chain, address }) => `${chain} ${address}`}
        columns={[
          {
            name: text.address,
            cell: ({ address }) => <Hash value={address} what={text.address} to={addressPath(address)} />,
            value: ({ address }) => address,
          },
          { name: text.chain, cell: ({ chain }) => chain, value: ({ chain }) => chain },
          { name: text.service, cell: ({ service }) => claim(service), value: ({ service }) => service.categories.join(', ') },
          { name: text.serviceSources, value: ({ service }) => service.sources.join(', ') },
          {
            name: text.accusation,
            cell: ({ accusation }) => claim(accusation),
            value: ({ accusation }) => accusation.categories.join(', '),
          },
          { name: text.accusationSources, value: ({ accusation }) => accusation.sources.join(', ') },
          { name: text.counts, cell: ({ standing }) => text.claims[standing], value: ({ standing }) => text.claims[standing] },
        ]}
      />
    </Section>
  );
}

function Changes() {
  const read = useQuery(labelChanges);
  return (
    <Section title={text.changes}>
      <Loaded read={read}>
        {({ items }) => (
          <>
            <SmallTable
              label={text.changes}
              none={text.noChanges}
              rows={items}
              keyOf={({ change_id: id }) => String(id)}
              columns={[
                { name: text.when, cell: ({ changed_at: at }) => <Time iso={at} />, value: ({ changed_at: at }) => at },
                { name: text.what, cell: ({ action }) => text.changeActions[action] },
                { name: text.count, isNumber: true, cell: ({ labels: count }) => whole(count), value: ({ labels: count }) => count },
                { name: text.source, cell: ({ source, import: name }) => <span className="breaking">{source ?? name ?? '–'}</span> },
                { name: text.person, cell: ({ person }) => person ?? text.weir },
                { name: text.reason, cell: ({ reason }) => reason ?? '–' },
              ]}
            />
            {items.length > 0 && <ExportLink list="label-changes" />}
          </>
        )}
      </Loaded>
    </Section>
  );
}
