import { useSearchParams } from 'react-router';
import { words } from '../words/en.ts';
import { dayMs } from '../words/format.ts';
import { Choice } from './fields.tsx';

const usual = '7';

/** How many days a view shows, as part of its address. `options`: texts by number of days. */
export function useDaysChoice(label: string, options: Readonly<Record<string, string>>) {
  const [given, setGiven] = useSearchParams();
  const asked = given.get('days') ?? '';
  const days = Object.hasOwn(options, asked) ? asked : usual;
  const choice = (
    <div className="filters" role="group" aria-label={words.filters.label}>
      <Choice label={label} options={options} isRequired value={days} onChange={(to) => setGiven({ days: to }, { replace: true })} />
    </div>
  );
  return { days: Number(days), choice };
}

/** Midnight UTC, so many days ago. */
export function midnightBefore(days: number): string {
  return `${new Date(new Date().getTime() - days * dayMs).toISOString().slice(0, 10)}T00:00:00Z`;
}
