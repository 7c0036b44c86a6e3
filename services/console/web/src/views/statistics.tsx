import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { statistics } from '../api/queries.ts';
import type { StatisticsView as Statistics } from '../api/types.ts';
import { actionRows, Bars, Facts, levelRows, Section } from '../parts/basics.tsx';
import { Days, filled, type Point } from '../parts/charts.tsx';
import { midnightBefore, useDaysChoice } from '../parts/days-choice.tsx';
import { ExportLink } from '../parts/export-link.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { Loaded } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { duration, percent, usd, whole } from '../words/format.ts';

const { statistics: text } = words;

const byAction = [
  { key: 'allow', name: words.actions.allow, tone: 'low' },
  { key: 'review', name: words.actions.review, tone: 'moderate' },
  { key: 'block', name: words.actions.block, tone: 'severe' },
  { key: 'undecided', name: words.now.undecided, tone: 'plain' },
] as const;

export function StatisticsView() {
  const { days, choice } = useDaysChoice(text.range, text.ranges);
  // From midnight UTC, so that each column is a whole day.
  const since = midnightBefore(days - 1);
  const read = useQuery(statistics(since));
  return (
    <>
      <h1>{text.title}</h1>
      {choice}
      <Loaded read={read}>{(data) => <Figures data={data} since={since} />}</Loaded>
    </>
  );
}

function Figures({ data, since }: { readonly data: Statistics; readonly since: string }) {
  const [first, last] = [data.since.slice(0, 10), data.until.slice(0, 10)];
  const points = (valuesOf: (day: Statistics['days'][number]) => Point['values']): Point[] =>
    filled(
      data.days.map((day) => ({ day: day.day, values: valuesOf(day) })),
      first,
      last,
    );
  if (data.days.length === 0) return <p className="muted">{text.none}</p>;
  return (
    <>
      <ExportLink list="statistics" filter={{ since }} />
      <div className="columns">
        <Section title={text.byDay}>
          <Days
            label={text.byDay}
            points={points(({ allow, review, block, undecided }) => ({ allow, review, block, undecided }))}
            series={byAction}
          />
        </Section>
        <Section title={text.valueByDay}>
          <Days
            label={text.valueByDay}
            points={points((day) => ({ all: Number(day.usd ?? 0) }))}
            series={[{ key: 'all', name: words.columns.value, tone: 'plain' }]}
            format={usd}
          />
        </Section>
      </div>
      <div className="columns">
        <Section title={words.customer.byAction}>
          <Bars rows={actionRows(data.actions)} />
        </Section>
        <Section title={words.customer.byLevel}>
          <Bars rows={levelRows(data.levels)} />
        </Section>
        <Section title={text.holds}>
          <Holds of={data.holds} />
        </Section>
      </div>
      <Rules rows={data.held_by} since={since} />
      <div className="columns">
        <Section title={text.byRule}>
          <Bars isWide rows={data.rules.map((row) => ({ ...row, name: row.rule ?? text.table, tone: 'none' }))} />
        </Section>
        <Section title={text.byCoin}>
          <Bars isWide rows={data.coins.map((row) => ({ ...row, name: row.coin, tone: 'none' }))} />
        </Section>
      </div>
    </>
  );
}

function Holds({ of }: { readonly of: Statistics['holds'] }) {
  const time = (seconds: number | null): string => (seconds === null ? text.noHold : text.about(duration(seconds)));
  return (
    <Facts
      rows={[
        [text.openHolds, of.open],
        [text.endedHolds, of.ended],
        [text.median, time(of.median_seconds)],
        [text.p95, time(of.p95_seconds)],
        [text.longest, time(of.longest_seconds)],
      ]}
    />
  );
}

/** People's decisions tell how often a hold was right. */
function Rules({ rows, since }: { readonly rows: Statistics['held_by']; readonly since: string }) {
  return (
    <Section title={text.precision}>
      <p className="muted">{text.precisionHint}</p>
      {rows.length > 0 && <ExportLink list="held-by" filter={{ since }} />}
      <SmallTable
        label={text.precision}
        rows={rows}
        keyOf={({ rule }) => rule ?? ''}
        none={text.noRule}
        columns={[
          {
            name: text.rule,
            cell: ({ rule }) => (rule === null ? text.table : <Link to={`/app/screenings?rule=${encodeURIComponent(rule)}`}>{rule}</Link>),
          },
          { name: text.held, isNumber: true, cell: ({ held }) => whole(held), value: ({ held }) => held },
          { name: text.decided, isNumber: true, cell: ({ decided }) => whole(decided), value: ({ decided }) => decided },
          { name: text.blocked, isNumber: true, cell: ({ decided, allowed }) => whole(decided - allowed) },
          {
            name: text.right,
            value: ({ false_positive_rate: wrong }) => (wrong === null ? null : 1 - wrong),
            cell: ({ rule, false_positive_rate: wrong }) =>
              wrong === null ? (
                <span className="muted">{text.undecided}</span>
              ) : (
                <span className="share">
                  <meter min={0} max={1} value={1 - wrong} aria-label={rule ?? text.table} />
                  <span className="number">{percent((1 - wrong) * 100)}</span>
                </span>
              ),
          },
        ]}
      />
    </Section>
  );
}
