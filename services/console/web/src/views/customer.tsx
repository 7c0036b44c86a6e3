import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { user } from '../api/queries.ts';
import { actionRows, Bars, Facts, levelRows, Section, Time, Usd } from '../parts/basics.tsx';
import { ScreeningTable } from '../parts/screening-table.tsx';
import { Loaded } from '../parts/states.tsx';
import { words } from '../words/en.ts';

const { customer } = words;

export function CustomerView() {
  const { id = '' } = useParams();
  const read = useQuery(user(id));
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
              <Bars rows={actionRows(data.actions)} />
            </Section>
            <Section title={customer.byLevel}>
              <Bars rows={levelRows(data.levels)} />
            </Section>
          </div>
        )}
      </Loaded>
      <ScreeningTable label={customer.transfers} filter={{ user_id: id }} />
    </>
  );
}
