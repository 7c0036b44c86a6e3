import { type ReactNode, type Ref, useState } from 'react';
import { Button } from 'react-aria-components';
import { Link } from 'react-router';
import { words } from '../words/en.ts';
import { shortened, time, usd, utc, whole } from '../words/format.ts';
import type { Totals } from '../api/types.ts';
import { detailHeading } from './view.ts';
import { useZone } from './zone.ts';

/** A hash, shortened: the whole of it is in the tip, and on the clipboard. */
export function Hash({ value, what, to }: { readonly value: string; readonly what: string; readonly to?: string }) {
  const [isCopied, setCopied] = useState(false);
  const text = <code title={value}>{shortened(value)}</code>;
  return (
    <span className="hash">
      {to === undefined ? text : <Link to={to}>{text}</Link>}
      <Button
        className="copy"
        aria-label={words.copy.label(what)}
        onPress={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}
        onBlur={() => setCopied(false)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          {isCopied ? <path d="M3 8.5l3.5 3.5L13 4.5" /> : <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />}
        </svg>
      </Button>
      <span role="status" className="visually-hidden">
        {isCopied ? words.copy.done : ''}
      </span>
    </span>
  );
}

/** In the zone that the reader chose; the other is in the tip. */
export function Time({ iso }: { readonly iso: string }) {
  const zone = useZone();
  return (
    <time dateTime={iso} title={zone === 'utc' ? time(iso, 'local') : utc(iso)}>
      {time(iso, zone)}
    </time>
  );
}

export function Usd({ value }: { readonly value: string | number | null }) {
  return <span className={value === null ? 'muted' : 'number'}>{usd(value)}</span>;
}

export function Badge({ tone, children }: { readonly tone: string; readonly children: ReactNode }) {
  return <span className={`badge tone-${tone.toLowerCase()}`}>{children}</span>;
}

interface SectionProps {
  readonly title: string;
  readonly aside?: ReactNode;
  /** It is what the view is about, and gets the focus. */
  readonly isDetail?: boolean;
  /** Of the heading, which gets the focus after an act. */
  readonly headingRef?: Ref<HTMLHeadingElement>;
  readonly children: ReactNode;
}

export function Section({ title, aside, isDetail = false, headingRef, children }: SectionProps) {
  return (
    <section className="card" aria-label={title}>
      <header>
        <h2 {...(isDetail && { [detailHeading]: true })} {...(headingRef !== undefined && { ref: headingRef, tabIndex: -1 })}>
          {title}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** Names and values; values of null are left out. */
export function Facts({ rows }: { readonly rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

const byRisk = Object.keys(words.levels) as (keyof typeof words.levels)[];

/** From Low to Severe. Transfers without a level are left out. */
export function levelRows<Row extends { readonly level: keyof typeof words.levels | null }>(rows: readonly Row[]) {
  return byRisk.flatMap((level) =>
    rows.filter((row) => row.level === level).map((row) => ({ ...row, name: words.levels[level], tone: level })),
  );
}

/** Rows for `Bars`, by action; null is not decided yet. */
export function actionRows<Row extends { readonly action: keyof typeof words.actions | null }>(rows: readonly Row[]) {
  return rows.map((row) => ({
    ...row,
    name: row.action === null ? words.now.undecided : words.actions[row.action],
    tone: row.action ?? 'none',
  }));
}

interface BarRow extends Totals {
  readonly name: string;
  readonly tone: string;
  /** Where the name leads. */
  readonly to?: string;
  /** The whole of a shortened name. */
  readonly title?: string;
}

/** Groups as bars by count, with their value. */
export function Bars({ rows, isWide = false }: { readonly rows: readonly BarRow[]; readonly isWide?: boolean }) {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return (
    <ul className={isWide ? 'bars wide' : 'bars'}>
      {rows.map(({ name, tone, count, usd: sum, unknown_usd: unknown, to, title = name }) => (
        <li key={title}>
          <span className="bar-name" title={title}>
            {to === undefined ? name : <Link to={to}>{name}</Link>}
          </span>
          <meter className={`tone-${tone.toLowerCase()}`} min={0} max={most} value={count} aria-label={name} />
          <span className="number">{whole(count)}</span>
          <span className="muted">
            {[...(sum === null ? [] : [usd(sum)]), ...(unknown > 0 ? [words.now.unknownValue(unknown)] : [])].join(', ')}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The bars of `levelRows`, or that there are none. */
export function LevelBars({ rows }: { readonly rows: readonly (Totals & { readonly level: keyof typeof words.levels | null })[] }) {
  const found = levelRows(rows);
  return found.length === 0 ? <p className="muted">{words.states.noLevel}</p> : <Bars rows={found} />;
}

/** The other sides of transfers, each a link to its address. */
export function AddressBars({ rows }: { readonly rows: readonly (Totals & { readonly address: string | null })[] }) {
  return (
    <Bars
      isWide
      rows={rows.map(({ address, ...row }) => ({
        ...row,
        name: address === null ? words.address.unknown : shortened(address),
        tone: 'none',
        ...(address !== null && { title: address, to: `/app/addresses/${encodeURIComponent(address)}` }),
      }))}
    />
  );
}
