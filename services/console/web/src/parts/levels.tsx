import type { AddressView } from '../api/types.ts';
import { words } from '../words/en.ts';
import { levelRows } from './basics.tsx';

const [column, gap, height] = [10, 2, 120];

/** Transfers by day and level, as stacked columns. Days without a transfer are left out. */
export function Levels({ days }: { readonly days: AddressView['days'] }) {
  const columns = days.map(({ day, levels }) => ({ day, levels: levelRows(levels) }));
  const most = Math.max(1, ...columns.map(({ levels }) => levels.reduce((sum, { count }) => sum + count, 0)));
  const width = Math.max(columns.length * (column + gap), 1);
  return (
    <figure className="levels">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        height={height}
        width={Math.min(width * 2, 1_200)}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {columns.map(({ day, levels }, index) => {
          let top = height;
          return levels.map(({ tone, name, count }) => {
            const part = (count / most) * height;
            top -= part;
            return (
              <rect
                key={`${day} ${name}`}
                className={`tone-${(tone ?? 'none').toLowerCase()}`}
                x={index * (column + gap)}
                y={top}
                width={column}
                height={part}
              >
                <title>{words.address.day(day, name, count)}</title>
              </rect>
            );
          });
        })}
      </svg>
      <figcaption className="muted">
        {columns[0]?.day} – {columns.at(-1)?.day}
      </figcaption>
      <ul className="visually-hidden">
        {columns.flatMap(({ day, levels }) =>
          levels.map(({ name, count }) => <li key={`${day} ${name}`}>{words.address.day(day, name, count)}</li>),
        )}
      </ul>
    </figure>
  );
}
