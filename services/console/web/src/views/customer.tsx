import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { policies, policy, user, velocity } from '../api/queries.ts';
import type { VelocityView } from '../api/types.ts';
import { actionRows, AddressBars, Bars, Facts, LevelBars, Section, Time, Usd } from '../parts/basics.tsx';
import { ScreeningTable } from '../parts/screening-table.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { Loaded } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { duration, whole } from '../words/format.ts';

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
          <>
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
                <LevelBars rows={data.levels} />
              </Section>
            </div>
            <div className="columns">
              <Velocity id={id} />
              <Section title={customer.counterparties}>
                <AddressBars rows={data.counterparties} />
              </Section>
            </div>
          </>
        )}
      </Loaded>
      <ScreeningTable label={customer.transfers} filter={{ user_id: id }} />
    </>
  );
}

const countedBy = ({ of, kind, window_ms: ms }: VelocityView['items'][number]): string =>
  `${customer.windows[of][kind ?? 'all']}, ${duration(ms / 1_000)}`;

/** What the customer has done in the windows that the policy's rules read. */
function Velocity({ id }: { readonly id: string }) {
  const read = useQuery(velocity(id));
  const conditions = useConditions();
  return (
    <Section title={customer.velocity} aside={<Link to="/app/policy">{words.policy.title}</Link>}>
      <p className="muted">{customer.velocityHint}</p>
      <Loaded read={read}>
        {({ items }) => (
          <SmallTable
            label={customer.velocity}
            none={customer.noWindows}
            file="windows"
            rows={items}
            keyOf={({ window }) => window}
            columns={[
              { name: customer.window, cell: ({ window }) => <code>{window}</code>, value: ({ window }) => window },
              { name: customer.of, cell: countedBy, value: countedBy },
              {
                name: customer.count,
                isNumber: true,
                cell: ({ count }) => (count === null ? customer.tooMany : whole(count)),
                value: ({ count }) => count,
              },
              { name: customer.known, isNumber: true, cell: (row) => <Known of={row} />, value: ({ known_usd: known }) => known },
              { name: customer.unknown, value: ({ unknown_count: unknown }) => unknown },
              {
                name: customer.rules,
                cell: ({ rules }) => <Rules names={rules} conditions={conditions} />,
                value: ({ rules }) => rules.join(' '),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

/** Of the policy in force: the conditions of its rules in words, by name. */
function useConditions(): ReadonlyMap<string, string | null> {
  const list = useQuery(policies);
  const hash = list.data?.items[0]?.policy_hash;
  const inForce = useQuery({ ...policy(hash ?? ''), enabled: hash !== undefined });
  return new Map(inForce.data?.rules.map((rule) => [rule.name, rule.words]));
}

interface RulesProps {
  readonly names: readonly string[];
  readonly conditions: ReadonlyMap<string, string | null>;
}

/** With the condition of each, against which the sums of a window are read. */
function Rules({ names, conditions }: RulesProps) {
  if (names.length === 0) return customer.noRules;
  return (
    <ul className="plain-list">
      {names.map((name) => {
        const condition = conditions.get(name) ?? null;
        return (
          <li key={name}>
            {name}
            {condition !== null && <div className="muted">{condition}</div>}
          </li>
        );
      })}
    </ul>
  );
}

function Known({ of: { known_usd: known, unknown_count: unknown } }: { readonly of: VelocityView['items'][number] }) {
  if (known === null || unknown === null) return '–';
  return (
    <>
      <Usd value={known} /> {unknown > 0 && <span className="muted">({words.now.unknownValue(unknown)})</span>}
    </>
  );
}
