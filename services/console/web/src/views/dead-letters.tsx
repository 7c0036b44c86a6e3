import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useParams, useSearchParams } from 'react-router';
import { topics } from '@weir/contracts/topics';
import { deadLetter, deadLetterPath, deadLetters, session } from '../api/queries.ts';
import { request } from '../api/request.ts';
import type { DeadLetterDetail, DeadLetterView } from '../api/types.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Badge, Facts, Section, Time } from '../parts/basics.tsx';
import { ExportLink } from '../parts/export-link.tsx';
import { Choice } from '../parts/fields.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { LongList } from '../parts/long-list.tsx';
import { Loaded } from '../parts/states.tsx';
import { type Column, moreOf, Table } from '../parts/table.tsx';
import { words } from '../words/en.ts';
import { whole } from '../words/format.ts';

const { deadLetters: text } = words;

/** `search`: the filter of the list, which stays. */
const pathOf = ({ topic, offset }: Pick<DeadLetterView, 'topic' | 'offset'>, search: string): string =>
  `/app/dead-letters/${encodeURIComponent(topic)}/${encodeURIComponent(offset)}${search}`;

const columnsOf = (search: string): readonly Column<DeadLetterView>[] => [
  {
    name: text.at,
    width: '12rem',
    cell: (row) => (
      <Link to={pathOf(row, search)}>
        <Time iso={row.at} />
      </Link>
    ),
  },
  { name: text.topic, width: '13rem', cell: ({ topic, offset }) => `${topic} ${offset}` },
  { name: text.reason, width: '13rem', cell: ({ reason }) => <Badge tone="moderate">{reason}</Badge> },
  { name: text.key, width: 'minmax(9rem, 1fr)', cell: ({ key }) => <span title={key}>{key}</span> },
  { name: text.detail, width: 'minmax(10rem, 1fr)', cell: ({ detail }) => <span title={detail}>{detail}</span> },
];

export function DeadLettersView() {
  const { topic, offset } = useParams();
  const [given, setGiven] = useSearchParams();
  const { search } = useLocation();
  const only = given.get('topic') ?? '';
  const query = deadLetters({ topic: only });
  const read = useInfiniteQuery(query);
  return (
    <>
      <h1>{text.title}</h1>
      <p className="muted">{text.hint}</p>
      {topic !== undefined && offset !== undefined && <One key={`${topic} ${offset}`} topic={topic} offset={offset} search={search} />}
      <div className="filters" role="group" aria-label={words.filters.label}>
        <Choice
          label={text.topic}
          options={Object.fromEntries(topics.map((name) => [name, name]))}
          value={only}
          onChange={(to) => setGiven(to === '' ? {} : { topic: to }, { replace: true })}
        />
      </div>
      <Loaded read={read}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          return (
            <>
              {rows.length > 0 && <ExportLink list="dead-letters" filter={{ topic: only }} />}
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

function One({ topic, offset, search }: { readonly topic: string; readonly offset: string; readonly search: string }) {
  const read = useQuery(deadLetter(topic, offset));
  return (
    <Section title={text.one} isDetail aside={<Link to={`/app/dead-letters${search}`}>{text.close}</Link>}>
      <Loaded read={read} missing={text.unknown}>
        {(data) => <Content of={data} />}
      </Loaded>
    </Section>
  );
}

function Content({ of }: { readonly of: DeadLetterDetail }) {
  return (
    <>
      <Facts
        rows={[
          [text.topic, of.topic],
          [text.offset, of.offset],
          [text.at, <Time key="at" iso={of.at} />],
          [text.reason, of.reason],
          [
            text.detail,
            <span key="detail" className="breaking">
              {of.detail}
            </span>,
          ],
          [
            text.key,
            <span key="key" className="breaking">
              {of.key}
            </span>,
          ],
          [text.cameFrom, text.place(of.came_from.partition, of.came_from.offset)],
          [text.bytes, whole(of.bytes)],
        ]}
      />
      <Replay topic={of.topic} offset={of.offset} />
      <h3>{text.headers}</h3>
      <SmallTable
        label={text.headers}
        none={text.noHeaders}
        rows={Object.entries(of.headers)}
        keyOf={([name]) => name}
        columns={[
          { name: text.header, cell: ([name]) => name },
          { name: text.value, cell: ([, value]) => <span className="breaking">{value}</span> },
        ]}
      />
      <h3>{text.data}</h3>
      {of.data === null ? <p className="muted">{text.unreadable}</p> : <pre tabIndex={0}>{JSON.stringify(of.data, null, 2)}</pre>}
      <details>
        <summary>{text.raw}</summary>
        <pre>{of.value_base64}</pre>
      </details>
    </>
  );
}

function Replay({ topic, offset }: { readonly topic: string; readonly offset: string }) {
  const { data: who } = useQuery(session);
  const client = useQueryClient();
  const replay = useMutation({
    mutationFn: () => request(`${deadLetterPath(topic, offset)}/replay`, { method: 'POST' }),
    onSettled: () => client.invalidateQueries({ queryKey: ['dead-letters'] }),
  });
  if (who?.role !== 'admin') return null;
  return <ActButton act={replay} label={text.replay} hint={text.replayHint} done={text.replayed} onPress={() => replay.mutate()} />;
}
