import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { address } from '../api/queries.ts';
import { actionRows, Bars, Facts, levelRows, Section, Time, Usd } from '../parts/basics.tsx';
import { Levels } from '../parts/levels.tsx';
import { ScreeningTable } from '../parts/screening-table.tsx';
import { Loaded } from '../parts/states.tsx';
import { words } from '../words/en.ts';

const { address: text } = words;

export function AddressView() {
  const { address: of = '' } = useParams();
  const read = useQuery(address(of));
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
                <Bars rows={actionRows(data.actions)} />
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
      <ScreeningTable label={words.customer.transfers} filter={{ address: of }} />
    </>
  );
}
