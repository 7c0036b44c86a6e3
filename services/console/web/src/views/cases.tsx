import { useInfiniteQuery } from '@tanstack/react-query';
import { listFilters } from '@weir/contracts/list-filters';
import { Link } from 'react-router';
import { cases } from '../api/queries.ts';
import type { CaseSummary } from '../api/types.ts';
import { Badge, Time, Usd } from '../parts/basics.tsx';
import { ExportLink } from '../parts/export-link.tsx';
import { Choice } from '../parts/fields.tsx';
import { LongList } from '../parts/long-list.tsx';
import { Loaded } from '../parts/states.tsx';
import { type Column, moreOf, Table } from '../parts/table.tsx';
import { words } from '../words/en.ts';
import { PlanFilters, useFilter } from './lists.tsx';
import { SavedViews } from './saved-views.tsx';

const { cases: texts, columns: names } = words;

const pathOf = ({ case_id: id }: CaseSummary): string => `/app/cases/${id}`;

const columns: readonly Column<CaseSummary>[] = [
  { name: texts.opened, width: '12.5rem', cell: (row) => <Link to={pathOf(row)}>{<Time iso={row.opened_at} />}</Link> },
  {
    name: texts.shared,
    width: 'minmax(14rem, 2fr)',
    cell: ({ keys }) => <span title={keys.map(keyInWords).join(', ')}>{keys.map(keyInWords).join(', ')}</span>,
  },
  { name: texts.holds, width: '5rem', cell: ({ holds }) => <span className="number">{holds}</span> },
  { name: texts.waiting, width: '5.5rem', cell: ({ waiting }) => <span className="number">{waiting}</span> },
  { name: names.value, width: '9rem', cell: ({ usd }) => <Usd value={usd} /> },
  { name: names.due, width: '12.5rem', cell: (row) => <Due row={row} /> },
  { name: names.assignee, width: '8rem', cell: ({ assignee }) => assignee ?? <span className="muted">–</span> },
  {
    name: texts.outcome,
    width: '9.5rem',
    cell: ({ outcome, state }) => (outcome === null ? texts.states[state] : texts.outcomes[outcome]),
  },
];

export function CasesView() {
  const { filter, field } = useFilter(listFilters.cases);
  const query = cases(filter);
  const read = useInfiniteQuery(query);
  return (
    <>
      <h1>{texts.title}</h1>
      <div className="filters" role="group" aria-label={words.filters.label}>
        <Choice label={texts.state} options={texts.states} {...field('state')} />
        <Choice label={texts.outcome} options={texts.outcomes} {...field('outcome')} />
        <Choice label={texts.escalation} options={texts.escalations} {...field('escalated')} />
        <PlanFilters field={field} />
      </div>
      <SavedViews list="cases" filter={filter} />
      <ExportLink list="cases" filter={filter} />
      <Loaded read={read}>
        {({ pages }) => (
          <>
            <LongList pages={pages} queryKey={query.queryKey} />
            <Table
              label={texts.title}
              rows={pages.flatMap(({ items }) => items)}
              columns={columns}
              none={texts.none}
              pathOf={pathOf}
              more={moreOf(read)}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

function Due({ row: { due_at: at, escalated_at: escalated, state } }: { readonly row: CaseSummary }) {
  if (escalated !== null && state === 'open') return <Badge tone="severe">{texts.escalated}</Badge>;
  return at === null ? <span className="muted">–</span> : <Time iso={at} />;
}

/** `user:u-1` is “customer u-1”. */
export function keyInWords(key: string): string {
  const at = key.indexOf(':');
  const kind = key.slice(0, at);
  return kind in texts.keys ? `${texts.keys[kind as keyof typeof texts.keys]} ${key.slice(at + 1)}` : key;
}
