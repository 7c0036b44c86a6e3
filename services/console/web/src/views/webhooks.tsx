import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useParams, useSearchParams } from 'react-router';
import { deliveries, delivery, session } from '../api/queries.ts';
import { request } from '../api/request.ts';
import type { DeliveryView } from '../api/types.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Badge, Facts, Section, Time } from '../parts/basics.tsx';
import { ExportLink } from '../parts/export-link.tsx';
import { Choice } from '../parts/fields.tsx';
import { LongList } from '../parts/long-list.tsx';
import { Loaded } from '../parts/states.tsx';
import { type Column, moreOf, Table } from '../parts/table.tsx';
import { words } from '../words/en.ts';

const { webhooks: text } = words;
const tones = { pending: 'moderate', delivered: 'low', failed: 'severe' } as const;

/** `search`: the filter of the list, which stays. */
const pathOf = ({ event_id: id }: Pick<DeliveryView, 'event_id'>, search: string): string => `/app/webhooks/${id}${search}`;
const outcome = ({ last_status: status, last_error: error }: DeliveryView): string =>
  [status === null ? '' : String(status), error ?? ''].filter((part) => part !== '').join(' ') || '–';

const columnsOf = (search: string): readonly Column<DeliveryView>[] => [
  {
    name: text.created,
    width: '12rem',
    cell: (row) => (
      <Link to={pathOf(row, search)}>
        <Time iso={row.created_at} />
      </Link>
    ),
  },
  { name: text.state, width: '8rem', cell: ({ state }) => <Badge tone={tones[state]}>{text.states[state]}</Badge> },
  { name: text.attempts, width: '6rem', cell: ({ attempts }) => <span className="number">{attempts}</span> },
  { name: text.answer, width: 'minmax(10rem, 1fr)', cell: (row) => <span title={outcome(row)}>{outcome(row)}</span> },
  { name: text.next, width: '12rem', cell: ({ next_at: at }) => (at === null ? '–' : <Time iso={at} />) },
];

export function WebhooksView() {
  const { event_id: id } = useParams();
  const [given, setGiven] = useSearchParams();
  const { search } = useLocation();
  const state = given.get('state') ?? '';
  const query = deliveries({ state });
  const read = useInfiniteQuery(query);
  return (
    <>
      <h1>{text.title}</h1>
      {id !== undefined && <Delivery key={id} id={id} search={search} />}
      <div className="filters" role="group" aria-label={words.filters.label}>
        <Choice
          label={text.state}
          options={text.states}
          value={state}
          onChange={(to) => setGiven(to === '' ? {} : { state: to }, { replace: true })}
        />
      </div>
      <Loaded read={read}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          return (
            <>
              {rows.length > 0 && <ExportLink list="deliveries" filter={{ state }} />}
              <LongList pages={pages} queryKey={query.queryKey} />
              <Table
                label={text.title}
                rows={rows}
                columns={columnsOf(search)}
                none={text.none}
                pathOf={(row) => pathOf(row, search)}
                more={moreOf(read)}
              />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Delivery({ id, search }: { readonly id: string; readonly search: string }) {
  const read = useQuery(delivery(id));
  return (
    <Section title={text.delivery} isDetail aside={<Link to={`/app/webhooks${search}`}>{text.close}</Link>}>
      <Loaded read={read} missing={text.unknown}>
        {(data) => (
          <>
            <Facts
              rows={[
                [
                  text.state,
                  <Badge key="state" tone={tones[data.state]}>
                    {text.states[data.state]}
                  </Badge>,
                ],
                [text.event, data.event_id],
                [
                  text.screening,
                  <Link key="screening" to={`/app/screenings/${data.screening_id}`}>
                    {data.screening_id}
                  </Link>,
                ],
                [text.revision, data.revision],
                [text.attempts, data.attempts],
                [text.created, <Time key="created" iso={data.created_at} />],
                [text.attempted, data.attempted_at === null ? null : <Time key="attempted" iso={data.attempted_at} />],
                [text.settled, data.settled_at === null ? null : <Time key="settled" iso={data.settled_at} />],
                [text.next, data.next_at === null ? null : <Time key="next" iso={data.next_at} />],
                [text.answer, outcome(data)],
              ]}
            />
            <Retry id={id} />
            <details>
              <summary>{text.payload}</summary>
              <pre>{indented(data.body)}</pre>
            </details>
          </>
        )}
      </Loaded>
    </Section>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function Retry({ id }: { readonly id: string }) {
  const { data: who } = useQuery(session);
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => request(`/v1/webhooks/deliveries/${encodeURIComponent(id)}/retry`, { method: 'POST' }),
    onSettled: () => client.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  if (who?.role !== 'admin') return null;
  return <ActButton act={retry} label={text.retry} hint={text.retryHint} done={text.queued} onPress={() => retry.mutate()} />;
}
