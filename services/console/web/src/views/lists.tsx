import { type InfiniteData, type QueryKey, useInfiniteQuery, type UseInfiniteQueryResult, useQuery } from '@tanstack/react-query';
import { listFilters } from '@weir/contracts/list-filters';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'react-router';
import { assignees, type Query, reviews, screenings, session } from '../api/queries.ts';
import type { Page, ReviewView } from '../api/types.ts';
import { casePath, reviewColumns, screeningColumns } from '../parts/columns.tsx';
import { Choice, type FieldProps, withGiven } from '../parts/fields.tsx';
import { useKept } from '../parts/kept.ts';
import { useKeyPreference } from '../parts/row-keys.ts';
import { LongList } from '../parts/long-list.tsx';
import { Loaded } from '../parts/states.tsx';
import { type Column, type Marks, moreOf, Table } from '../parts/table.tsx';
import { words } from '../words/en.ts';
import { ExportLink } from '../parts/export-link.tsx';
import { Bulk, mostMarked } from './bulk.tsx';
import { MoreFilters, OtherFilters, Usd } from './more-filters.tsx';
import { SavedViews } from './saved-views.tsx';

const { filters } = words;

/** The filter is part of the address, so that it can be kept and sent. */
export function useFilter(names: readonly string[]): {
  readonly filter: Query;
  readonly field: (name: string) => FieldProps;
  /** Several at once. An empty value removes its name. */
  readonly set: (values: Readonly<Record<string, string>>) => void;
} {
  const [given, setGiven] = useSearchParams();
  const valueOf = (name: string): string => given.get(name) ?? '';
  const set = (values: Readonly<Record<string, string>>): void =>
    setGiven(
      () => {
        // The page follows its address later: of two changes, the second must not lose the first.
        const next = new URLSearchParams(window.location.search);
        for (const [name, value] of Object.entries(values)) {
          if (value === '') next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: true },
    );
  return {
    filter: Object.fromEntries(names.map((name) => [name, valueOf(name)])),
    field: (name) => ({ value: valueOf(name), onChange: (value) => set({ [name]: value }) }),
    set,
  };
}

function SharedFilters({ field }: { readonly field: (name: string) => FieldProps }) {
  return (
    <>
      <Choice label={filters.kind} options={words.kinds} {...field('kind')} />
      <Choice label={filters.level} options={words.levels} {...field('level')} />
      <Usd label={filters.minUsd} {...field('min_usd')} />
    </>
  );
}

/** The reviews of the filter that the address has. A case that is opened from the queue keeps it in its own address. */
export function useQueue() {
  const { filter, field } = useFilter(listFilters.reviews);
  const { search } = useLocation();
  const sort = filter['sort'] || 'due';
  return { filter, field, sort, search, query: reviews({ ...filter, sort }) };
}

/** Of reviews and of cases. What a link asks for is among the choices, too. */
export function PlanFilters({ field }: { readonly field: (name: string) => FieldProps }) {
  const { data: who } = useQuery(session);
  const [assignee, due] = [field('assignee'), field('due')];
  const { data: known } = useQuery(assignees);
  const others = (known?.items ?? []).map(({ name }) => name).filter((name) => name !== who?.name);
  const people = {
    ...(who != null && { [who.name]: filters.me }),
    none: filters.nobody,
    ...Object.fromEntries(others.map((name) => [name, name])),
  };
  return (
    <>
      <Choice label={filters.assignee} options={withGiven(people, assignee.value)} {...assignee} />
      <Choice label={filters.due} options={withGiven({ overdue: words.reviews.overdue }, due.value)} {...due} />
    </>
  );
}

const unmarked: ReadonlyMap<string, ReviewView> = new Map();

export function ReviewsView() {
  const { filter, field, sort, search, query } = useQueue();
  const read = useInfiniteQuery(query);
  const keys = useKeyPreference();
  // An auditor reads alone.
  const { data: who } = useQuery(session);
  const mayWork = who?.role !== 'auditor';
  // Each filter has marks of its own.
  const [kept, setMarked] = useKept<ReadonlyMap<string, ReviewView>>('marked', unmarked);
  const [before, begin] = useState({ search, kept });
  if (before.search !== search) begin({ search, kept });
  const listed = new Map(read.data?.pages.flatMap(({ items }) => items.map((row) => [row.screening_id, row] as const)));
  // A review may have ended while the reader was away from the list.
  const isGone = (id: string): boolean => before.kept.has(id) && !listed.has(id) && !read.hasNextPage;
  // A resolution is of the revision that was marked. Whose review it is now, each act must know.
  const marked = new Map(
    [...kept].filter(([id]) => !isGone(id)).map(([id, row]) => [id, { ...row, assignee: (listed.get(id) ?? row).assignee }]),
  );
  const unmark = (done: readonly string[]): void => setMarked((now) => new Map([...now].filter(([id]) => !done.includes(id))));
  const marks: Marks<ReviewView> = {
    has: ({ screening_id: id }) => marked.has(id),
    mark: (rows, isMarked) =>
      setMarked((now) => {
        const next = new Map([...now].filter(([id]) => !isGone(id)));
        for (const row of rows) {
          if (!isMarked) next.delete(row.screening_id);
          else if (next.size < mostMarked) next.set(row.screening_id, row);
        }
        return next;
      }),
    isFull: marked.size >= mostMarked,
    label: ({ kind, transfer }) => words.bulk.markOf(`${words.kinds[kind]} ${transfer.amount} ${transfer.coin}`),
  };
  return (
    <>
      <h1>{words.reviews.title}</h1>
      <div className="filters" role="group" aria-label={filters.label}>
        <Choice label={filters.state} options={filters.states} {...field('state')} />
        <SharedFilters field={field} />
        <PlanFilters field={field} />
        <Choice label={filters.sort} options={filters.sorts} isRequired {...field('sort')} value={sort} />
      </div>
      <MoreFilters field={field} />
      <OtherFilters filter={filter} field={field} />
      <SavedViews list="reviews" filter={filter} />
      <ExportLink list="reviews" filter={{ ...filter, sort }} />
      <Bulk marked={[...marked.values()]} onDone={unmark} onClear={() => setMarked(() => unmarked)} />
      <List
        read={read}
        columns={reviewColumns({ readAt: read.dataUpdatedAt, search })}
        search={search}
        label={words.reviews.title}
        none={words.reviews.none}
        queryKey={query.queryKey}
        {...(mayWork && { marks })}
      />
      {keys === 'on' && <p className="muted">{words.reviews.keys}</p>}
    </>
  );
}

export function ScreeningsView() {
  const { filter, field } = useFilter(listFilters.screenings);
  const query = screenings(filter);
  const read = useInfiniteQuery(query);
  return (
    <>
      <h1>{words.screenings.title}</h1>
      <div className="filters" role="group" aria-label={filters.label}>
        <Choice label={filters.action} options={words.actions} {...field('action')} />
        <SharedFilters field={field} />
        <Choice label={filters.sort} options={filters.screeningSorts} isRequired {...field('sort')} value={filter['sort'] || 'newest'} />
      </div>
      <MoreFilters field={field} />
      <OtherFilters filter={filter} field={field} />
      <SavedViews list="screenings" filter={filter} />
      <ExportLink list="screenings" filter={filter} />
      <List read={read} columns={screeningColumns} label={words.screenings.title} none={words.screenings.none} queryKey={query.queryKey} />
    </>
  );
}

interface ListProps<Row> {
  readonly read: UseInfiniteQueryResult<InfiniteData<Page<Row>>>;
  readonly columns: readonly Column<Row>[];
  readonly label: string;
  readonly none: string;
  readonly marks?: Marks<Row>;
  readonly queryKey: QueryKey;
  /** Of the address of a row. */
  readonly search?: string;
}

function List<Row extends { readonly screening_id: string }>({ read, columns, label, none, marks, queryKey, search = '' }: ListProps<Row>) {
  return (
    <Loaded read={read}>
      {({ pages }) => {
        const rows = pages.flatMap(({ items }) => items);
        return (
          <>
            <p className="muted" role="status">
              {words.filters.listed(rows.length, read.hasNextPage)}
            </p>
            <LongList pages={pages} queryKey={queryKey} />
            <Table
              label={label}
              rows={rows}
              columns={columns}
              none={none}
              pathOf={(row) => casePath(row, search)}
              more={moreOf(read)}
              {...(marks && { marks })}
            />
          </>
        );
      }}
    </Loaded>
  );
}
