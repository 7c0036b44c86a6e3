import { Link } from 'react-router';
import { reasonInWords } from '@weir/contracts/reason-words';
import type { ReviewView, ScreeningView } from '../api/types.ts';
import { words } from '../words/en.ts';
import { counterparty, decimal, duration, utc } from '../words/format.ts';
import { Badge, Hash, Time, Usd } from './basics.tsx';
import type { Column } from './table.tsx';

type Either = ScreeningView | ReviewView;
const { columns } = words;

/** `search`: the filter of the queue that it is opened from, so that the next review is of the same queue. */
export const casePath = ({ screening_id: id }: Pick<Either, 'screening_id'>, search = ''): string => `/app/screenings/${id}${search}`;

function Other({ row }: { readonly row: Either }) {
  const other = counterparty(row.transfer);
  return other === null ? <span className="muted">–</span> : <Hash value={other} what={columns.counterparty} />;
}

function Level({ row: { result } }: { readonly row: Either }) {
  if (result === null) return <span className="muted">–</span>;
  const { outcome, risk_level: level, score } = result;
  return level === undefined ? (
    <Badge tone="none">{words.outcomes[outcome]}</Badge>
  ) : (
    <Badge tone={level}>
      {words.levels[level]} {score}
    </Badge>
  );
}

/** Who has to act on a review; the tip says what was proposed, and by whom. */
function WaitsFor({ row: { state, resolution } }: { readonly row: ReviewView }) {
  const text = words.reviews.waitsFor[state];
  if (state !== 'pending_approval' || resolution === null) return <span className="muted">{text}</span>;
  return (
    <span title={words.resolve.pending(resolution.resolved_by.name, resolution.action)}>
      <Badge tone="moderate">{text}</Badge>
    </span>
  );
}

function Due({ at, overdue, leftMs }: { readonly at: string; readonly overdue: boolean; readonly leftMs: number }) {
  // Of a review that waits no more.
  if (!overdue && leftMs < 0) return <Time iso={at} />;
  return (
    <time dateTime={at} title={utc(at)} className={overdue ? 'overdue' : ''}>
      {words.reviews[overdue ? 'overdueBy' : 'dueIn'](duration(Math.abs(leftMs) / 1_000))}
    </time>
  );
}

const requested: Column<Either> = { name: columns.requested, width: '12.5rem', cell: ({ requested_at: at }) => <Time iso={at} /> };
const kind: Column<Either> = {
  name: columns.kind,
  width: '5rem',
  cell: (row) => <Link to={casePath(row)}>{words.kinds[row.kind]}</Link>,
};
const amount: Column<Either> = {
  name: columns.amount,
  width: 'minmax(8.5rem, 1fr)',
  cell: ({ transfer }) => (
    <span className="number" title={`${transfer.amount} ${transfer.coin}`}>
      {decimal(transfer.amount, 6)} {transfer.coin}
    </span>
  ),
};
const value: Column<Either> = { name: columns.value, width: '7.5rem', cell: ({ transfer }) => <Usd value={transfer.usd_value} /> };
const other: Column<Either> = { name: columns.counterparty, width: 'minmax(11.5rem, 1fr)', cell: (row) => <Other row={row} /> };
const level: Column<Either> = { name: columns.level, width: '7rem', cell: (row) => <Level row={row} /> };

export const screeningColumns: readonly Column<ScreeningView>[] = [
  requested,
  kind,
  amount,
  value,
  other,
  level,
  { name: columns.status, width: '6.5rem', cell: ({ status }) => <Badge tone={status}>{words.status[status]}</Badge> },
];

/** Beside a case, where there is less room. */
export const narrowColumns: readonly Column<ScreeningView>[] = [
  { ...requested, cell: (row) => <Link to={casePath(row)}>{<Time iso={row.requested_at} />}</Link> },
  amount,
  value,
  level,
  { name: columns.status, width: '6.5rem', cell: ({ status }) => <Badge tone={status}>{words.status[status]}</Badge> },
];

interface Queue {
  /** When the rows were read, in milliseconds since 1970. */
  readonly readAt: number;
  /** The filter, as the address has it. */
  readonly search: string;
}

export const reviewColumns = ({ readAt, search }: Queue): readonly Column<ReviewView>[] => [
  { ...kind, cell: (row) => <Link to={casePath(row, search)}>{words.kinds[row.kind]}</Link> },
  // A phone shows the first three without scrolling, a window of 1280 pixels all but the last.
  value,
  level,
  {
    name: columns.due,
    width: '7.5rem',
    cell: ({ due_at: at, overdue }) =>
      at === null ? <span className="muted">–</span> : <Due at={at} overdue={overdue} leftMs={Date.parse(at) - readAt} />,
  },
  { name: columns.held, width: '5.5rem', cell: ({ held_seconds: seconds }) => (seconds === null ? '–' : duration(seconds)) },
  { name: columns.waitsFor, width: '7.5rem', cell: (row) => <WaitsFor row={row} /> },
  amount,
  other,
  { name: columns.assignee, width: '6.5rem', cell: ({ assignee }) => assignee ?? <span className="muted">–</span> },
  {
    name: columns.reasons,
    width: 'minmax(12rem, 1.5fr)',
    cell: ({ reason_codes: codes }) => <span title={codes.join(', ')}>{codes.map(reasonInWords).join('; ')}</span>,
  },
];
