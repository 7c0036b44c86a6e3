import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { reasonInWords } from '@weir/contracts/reason-words';
import { address, resultOf } from '../api/queries.ts';
import { ApiError } from '../api/request.ts';
import type { AddressView as Address, ScreeningView } from '../api/types.ts';
import { actionRows, AddressBars, Badge, Bars, Facts, LevelBars, Section, Time, Usd } from '../parts/basics.tsx';
import { Days, filled } from '../parts/charts.tsx';
import { casePath } from '../parts/columns.tsx';
import { ScreeningTable } from '../parts/screening-table.tsx';
import { Loaded } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { whole } from '../words/format.ts';
import { Analysis } from './analysis.tsx';
import { Exposures } from './exposures.tsx';

const { address: text } = words;
const levels = Object.entries(words.levels).map(([key, name]) => ({ key, name, tone: key.toLowerCase() }));

export function AddressView() {
  const { address: of = '' } = useParams();
  const read = useQuery(address(of));
  return (
    <>
      <h1 className="breaking">
        {text.title} {of}
      </h1>
      <Analysis key={of} address={of} />
      <History read={read} of={of} />
    </>
  );
}

/** Of the transfers with the address, if there are any. */
function History({ read, of }: { readonly read: UseQueryResult<Address>; readonly of: string }) {
  if (read.error instanceof ApiError && read.error.status === 404) return <p className="muted">{text.none}</p>;
  return (
    <>
      <Loaded read={read}>
        {(data) => (
          <>
            <div className="columns wide-left">
              <div>
                <Latest of={of} />
                <Section title={text.overTime}>
                  <Days label={text.overTime} points={filled(data.days.map(pointOf))} series={levels} />
                </Section>
              </div>
              <Sums data={data} />
            </div>
            <Others data={data} />
          </>
        )}
      </Loaded>
      <ScreeningTable label={words.customer.transfers} filter={{ address: of }} />
    </>
  );
}

function pointOf({ day, levels: own }: Address['days'][number]) {
  return { day, values: Object.fromEntries(own.map(({ level, count }) => [level ?? '', count])) };
}

function Sums({ data }: { readonly data: Address }) {
  return (
    <div>
      <Section title={words.customer.transfers}>
        <Facts
          rows={[
            [data.is_complete ? text.all : text.newest, whole(data.transfers.count)],
            [words.columns.value, <Usd key="value" value={data.transfers.usd} />],
            [words.customer.first, <Time key="first" iso={data.first_requested_at} />],
            [words.customer.last, <Time key="last" iso={data.last_requested_at} />],
          ]}
        />
      </Section>
      <Section title={text.bySide}>
        <Bars rows={data.sides.map((row) => ({ ...row, name: text.sides[row.side], tone: 'none' }))} />
      </Section>
      <Section title={words.customer.byAction}>
        <Bars rows={actionRows(data.actions)} />
      </Section>
      <Section title={words.customer.byLevel}>
        <LevelBars rows={data.levels} />
      </Section>
    </div>
  );
}

function Others({ data: { counterparties, customers } }: { readonly data: Address }) {
  return (
    <div className="columns">
      <Section title={text.counterparties}>
        <AddressBars rows={counterparties} />
      </Section>
      <Section title={text.customers}>
        <Bars
          isWide
          rows={customers.map(({ user_id: customer, ...row }) => ({
            ...row,
            name: customer ?? text.unknown,
            tone: 'none',
            ...(customer !== null && { title: customer, to: `/app/customers/${encodeURIComponent(customer)}` }),
          }))}
        />
      </Section>
    </div>
  );
}

/** The latest result, with both sides of the address. */
function Latest({ of }: { readonly of: string }) {
  const read = useQuery(resultOf(of));
  return (
    <Section title={text.latest}>
      <Loaded read={read}>
        {(found) => (found === null ? <p className="muted">{text.noResult}</p> : <Result data={found} of={of} />)}
      </Loaded>
    </Section>
  );
}

function Result({ data, of }: { readonly data: ScreeningView; readonly of: string }) {
  const { result, screening_id: id, subject } = data;
  if (result === null) return null;
  const { risk_level: level, score, outcome, detail_list: findings, reasons } = result;
  return (
    <>
      <p className="row">
        {level === undefined ? (
          <Badge tone="none">{words.outcomes[outcome]}</Badge>
        ) : (
          <Badge tone={level}>
            {words.levels[level]} {score}
          </Badge>
        )}
        <span>{findings.length > 0 ? findings.join(', ') : reasons.map(reasonInWords).join('; ')}</span>
      </p>
      {subject?.toLowerCase() !== of.toLowerCase() && <p className="muted">{text.ofTransfer}</p>}
      <p className="row">
        <Link to={casePath(data)}>{text.screening}</Link>
        <a href={`/v1/screenings/${id}/report`} target="_blank" rel="noreferrer">
          {words.case.report}
        </a>
      </p>
      <Exposures rows={result.risk_detail} />
    </>
  );
}
