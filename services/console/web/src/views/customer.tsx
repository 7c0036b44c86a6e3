import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { screenings, user } from '../api/queries.ts';
import { Bars, Facts, levelRows, Section, Time, Usd } from '../parts/basics.tsx';
import { casePath, screeningColumns } from '../parts/columns.tsx';
import { Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { words } from '../words/en.ts';

const { customer } = words;

export function CustomerView() {
  const { id = '' } = useParams();
  const read = useQuery(user(id));
  const list = useInfiniteQuery(screenings({ user_id: id }));
  return (
    <>
      <h1>
        {customer.title} {id}
      </h1>
      <Loaded read={read} missing={words.states.noCustomer}>
        {(data) => (
          <div className="columns">
            <Section title={customer.transfers}>
              <Facts
                rows={[
                  [
                    customer.held,
                    <span key="held">
                      {data.held.count} (<Usd value={data.held.usd} />)
                    </span>,
                  ],
                  [customer.open, data.open_reviews],
                  [customer.first, <Time key="first" iso={data.first_requested_at} />],
                  [customer.last, <Time key="last" iso={data.last_requested_at} />],
                ]}
              />
              <Bars rows={data.kinds.map((row) => ({ ...row, name: words.kinds[row.kind], tone: 'none' }))} />
            </Section>
            <Section title={customer.byAction}>
              <Bars
                rows={data.actions.map((row) => ({
                  ...row,
                  name: row.action === null ? words.now.undecided : words.actions[row.action],
                  tone: row.action ?? 'none',
                }))}
              />
            </Section>
            <Section title={customer.byLevel}>
              <Bars rows={levelRows(data.levels)} />
            </Section>
          </div>
        )}
      </Loaded>
      <Loaded read={list}>
        {({ pages }) => (
          <Table
            label={customer.transfers}
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
