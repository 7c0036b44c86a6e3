import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { address, screenings } from '../api/queries.ts';
import { Bars, Facts, levelRows, Section, Time, Usd } from '../parts/basics.tsx';
import { casePath, screeningColumns } from '../parts/columns.tsx';
import { Levels } from '../parts/levels.tsx';
import { Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { words } from '../words/en.ts';

const { address: text } = words;

export function AddressView() {
  const { address: of = '' } = useParams();
  const read = useQuery(address(of));
  const list = useInfiniteQuery(screenings({ address: of }));
  return (
    <>
      <h1 className="breaking">
        {text.title} {of}
      </h1>
      <Loaded read={read} missing={text.none}>
        {(data) => (
          <>
            <div className="columns">
              <Section title={words.customer.transfers}>
                <Facts
                  rows={[
                    [data.is_complete ? text.all : text.newest, data.transfers.count.toLocaleString('en')],
                    [words.columns.value, <Usd key="value" value={data.transfers.usd} />],
                    [words.customer.first, <Time key="first" iso={data.first_requested_at} />],
                    [words.customer.last, <Time key="last" iso={data.last_requested_at} />],
                  ]}
                />
              </Section>
              <Section title={words.customer.byAction}>
                <Bars
                  rows={data.actions.map((row) => ({
                    ...row,
                    name: row.action === null ? words.now.undecided : words.actions[row.action],
                    tone: row.action ?? 'none',
                  }))}
                />
              </Section>
              <Section title={words.customer.byLevel}>
                <Bars rows={levelRows(data.levels)} />
              </Section>
            </div>
            <Section title={text.overTime}>
              <Levels days={data.days} />
            </Section>
          </>
        )}
      </Loaded>
      <Loaded read={list}>
        {({ pages }) => (
          <Table
            label={words.customer.transfers}
            rows={pages.flatMap(({ items }) => items)}
            columns={screeningColumns}
            none={words.screenings.none}
            pathOf={casePath}
            more={{ has: list.hasNextPage, isLoading: list.isFetchingNextPage, load: () => void list.fetchNextPage() }}
          />
        )}
      </Loaded>
    </>
  );
}
