import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { budget, chainFreshness, latestScreenings, reviews, statistics, systemHealth } from '../api/queries.ts';
import { ApiError } from '../api/request.ts';
import type { PartHealthView, StatisticsView } from '../api/types.ts';
import { Badge, Bars, Facts, levelRows, Section, Time } from '../parts/basics.tsx';
import { casePath, reviewColumns, screeningColumns } from '../parts/columns.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { words } from '../words/en.ts';
import { duration } from '../words/format.ts';

const { now } = words;
const shownReviews = 8;

export function NowView() {
  const midnight = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`;
  const sums = useQuery(statistics(midnight));
  const latest = useQuery(latestScreenings);
  const waiting = useInfiniteQuery(reviews({ sort: 'due' }));
  return (
    <>
      <h1>{now.title}</h1>
      <div className="columns">
        <Section title={now.today}>
          <Loaded read={sums}>{(data) => <Today data={data} />}</Loaded>
        </Section>
        <Health />
        <Budget />
      </div>
      <Section title={now.waiting} aside={<Link to="/app/reviews">{now.allWaiting}</Link>}>
        <Loaded read={waiting}>
          {({ pages }) => {
            const all = pages.flatMap(({ items }) => items);
            const overdue = all.filter((row) => row.overdue).length;
            const columns = reviewColumns({ readAt: waiting.dataUpdatedAt, search: '' });
            return (
              <>
                {all.length > 0 && (
                  <p>
                    {words.reviews.count(all.length, waiting.hasNextPage)}
                    {overdue > 0 && (
                      <>
                        {', '}
                        <strong className="overdue">
                          {words.reviews.countOverdue(overdue, overdue === all.length && waiting.hasNextPage)}
                        </strong>
                      </>
                    )}
                  </p>
                )}
                <Table label={now.waiting} rows={all.slice(0, shownReviews)} columns={columns} none={now.nothingWaits} pathOf={casePath} />
              </>
            );
          }}
        </Loaded>
      </Section>
      <Section title={now.latest} aside={<Link to="/app/screenings">{words.screenings.title}</Link>}>
        <Loaded read={latest}>
          {({ items }) => (
            <Table label={now.latest} rows={items} columns={screeningColumns} none={now.none} pathOf={casePath} hasKeys={false} />
          )}
        </Loaded>
      </Section>
      <Freshness />
    </>
  );
}

function Today({ data }: { readonly data: StatisticsView }) {
  const actions = data.actions.map((row) => ({
    ...row,
    name: row.action === null ? now.undecided : words.actions[row.action],
    tone: row.action ?? 'none',
  }));
  const levels = levelRows(data.levels);
  if (actions.length === 0) return <p className="muted">{now.none}</p>;
  return (
    <div className="columns">
      <Bars rows={actions} />
      <Bars rows={levels} />
    </div>
  );
}

/** Shows what is used of the rate budget at the provider, and what is left. */
function Budget() {
  const read = useQuery(budget);
  return (
    <Section title={now.budget} aside={<Link to="/app/providers">{words.nav.providers}</Link>}>
      <Loaded read={read}>
        {({ used_today: used, per_day: perDay, left_today: left, paused_until: paused, ...of }) => (
          <>
            <meter min={0} max={perDay} value={used} aria-label={now.budget} />
            <Facts
              rows={[
                [now.used, now.usedOf(used, perDay)],
                [now.forecast, of.forecast === null ? now.tooEarly : now.usedOf(of.forecast, perDay)],
                [now.left, now.leftIn(left.withdrawal, left.deposit)],
                [now.pace, now.aSecond(of.per_second)],
              ]}
            />
            {of.forecast !== null && of.forecast > perDay && <p className="overdue">{now.notEnough}</p>}
            {paused !== null && (
              <p className="overdue">
                {now.paused} <Time iso={paused} />
              </p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** How old what is known of each chain is. */
function Freshness() {
  const read = useQuery(chainFreshness);
  const ago = (seconds: number | null): string => (seconds === null ? now.none_of : now.ago(duration(seconds)));
  if (read.error instanceof ApiError && read.error.code === 'NO_LABELS') {
    return (
      <Section title={now.freshness}>
        <p className="muted">{now.elsewhere}</p>
      </Section>
    );
  }
  return (
    <Section title={now.freshness} aside={<Link to="/app/labels">{words.nav.labels}</Link>}>
      <Loaded read={read}>
        {({ items }) => (
          <SmallTable
            label={now.freshness}
            none={now.noChains}
            rows={items}
            keyOf={({ chain }) => chain}
            columns={[
              { name: now.chain, cell: ({ chain }) => chain },
              { name: now.labels, cell: ({ labels_age_seconds: age }) => ago(age) },
              { name: now.transfers, cell: ({ transfers_age_seconds: age }) => ago(age) },
              {
                name: now.behind,
                cell: ({ lag }) =>
                  lag?.blocks == null || lag.age_seconds === null ? now.notFollowed : now.blocks(lag.blocks, duration(lag.age_seconds)),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

/** Whether each part works, and what it cannot reach. */
function Health() {
  const read = useQuery(systemHealth);
  return (
    <Section title={now.health}>
      <Loaded read={read}>
        {({ items }) => {
          const [own] = items;
          const isGood = items.every((part) => part.state === 'ready' && troublesOf(part).length === 0);
          if (isGood && items.length === 1 && own !== undefined) return <p>{now.allWork}</p>;
          return (
            <ul className="health">
              {items.map((part) => (
                <Part key={part.service} part={part} />
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Section>
  );
}

const tones = { ready: 'low', not_ready: 'severe', away: 'severe' } as const;

function Part({ part }: { readonly part: PartHealthView }) {
  const troubles = troublesOf(part);
  return (
    <li>
      <span>{now.parts[part.service as keyof typeof now.parts] ?? part.service}</span>
      <Badge tone={part.state === 'ready' && troubles.length > 0 ? 'moderate' : tones[part.state]}>{now.partStates[part.state]}</Badge>
      {troubles.length > 0 && (
        <ul>
          {troubles.map((trouble) => (
            <li key={trouble}>{trouble}</li>
          ))}
        </ul>
      )}
    </li>
  );
}

function troublesOf({ unavailable, degraded, warnings }: PartHealthView): string[] {
  const away = [...new Set([...unavailable, ...degraded])];
  return [...away.map((name) => now.away(now.dependencies[name as keyof typeof now.dependencies] ?? name)), ...warnings];
}
