import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { words } from '../words/en.ts';
import { dayMs, short, whole } from '../words/format.ts';
import { SmallTable } from './small-table.tsx';

interface Series {
  readonly key: string;
  readonly name: string;
  /** Of the style: `--chart-low`. */
  readonly tone: string;
}

export interface Point {
  /** UTC: 2026-01-31. */
  readonly day: string;
  /** By key of the series. */
  readonly values: Readonly<Record<string, number>>;
}

interface DaysProps {
  readonly label: string;
  readonly points: readonly Point[];
  readonly series: readonly Series[];
  /** Default: a whole number. */
  readonly format?: (value: number) => string;
}

const height = 240;
const axis = { stroke: 'var(--line)', tick: { fill: 'var(--muted)', fontSize: 12 } } as const;

/** Stacked columns, one a day. The same figures follow as a table, for readers of any kind. */
export function Days({ label, points, series, format = whole }: DaysProps) {
  const rows = points.map(({ day, values }) => ({ day, ...values }));
  return (
    <figure className="chart" aria-label={label}>
      <div aria-hidden="true">
        <ResponsiveContainer width="100%" height={height}>
          <BarChart data={rows} accessibilityLayer={false} margin={{ top: 8, right: 8, bottom: 0, left: 0 }}>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis dataKey="day" {...axis} tickFormatter={(day: string) => day.slice(5)} minTickGap={16} />
            <YAxis {...axis} width={48} allowDecimals={false} tickFormatter={short} />
            <Tooltip
              cursor={{ fill: 'var(--calm-back)' }}
              contentStyle={{ background: 'var(--card)', border: '1px solid var(--line)', borderRadius: 8 }}
              itemStyle={{ color: 'var(--text)' }}
              formatter={(value) => format(Number(value))}
            />
            {series.length > 1 && <Legend itemSorter={null} formatter={(name: string) => <span className="legend">{name}</span>} />}
            {series.map(({ key, name, tone }) => (
              <Bar
                key={key}
                dataKey={key}
                name={name}
                stackId="all"
                fill={`var(--chart-${tone})`}
                stroke="var(--card)"
                maxBarSize={48}
                isAnimationActive={false}
              />
            ))}
          </BarChart>
        </ResponsiveContainer>
      </div>
      <details>
        <summary>{words.charts.table}</summary>
        <SmallTable
          label={label}
          rows={points}
          keyOf={({ day }) => day}
          columns={[
            { name: words.charts.day, cell: ({ day }) => day },
            ...series.map(({ key, name }) => ({ name, isNumber: true, cell: ({ values }: Point) => format(values[key] ?? 0) })),
          ]}
        />
      </details>
    </figure>
  );
}

const mostDays = 400;

/** Each day from the first to the last, those without a point with zeros; at most `mostDays`, the newest. */
export function filled(points: readonly Point[], first = points[0]?.day, last = points.at(-1)?.day): Point[] {
  if (first === undefined || last === undefined) return [];
  const known = new Map(points.map((point) => [point.day, point]));
  const end = Date.parse(last);
  const begin = Math.max(Date.parse(first), end - (mostDays - 1) * dayMs);
  return Array.from({ length: Math.round((end - begin) / dayMs) + 1 }, (_, index) => {
    const day = new Date(begin + index * dayMs).toISOString().slice(0, 10);
    return known.get(day) ?? { day, values: {} };
  });
}
