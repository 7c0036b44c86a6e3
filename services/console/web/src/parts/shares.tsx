import type { ReactNode } from 'react';
import { words } from '../words/en.ts';
import { percent as inPercent } from '../words/format.ts';

interface Share {
  readonly name: string;
  /** 0 to 100. */
  readonly percent: number;
  readonly note: ReactNode;
}

/** Parts of a whole as bars. */
export function Shares({ label, rows }: { readonly label: string; readonly rows: readonly Share[] }) {
  if (rows.length === 0) return <p className="muted">{words.analysis.none}</p>;
  return (
    <ul className="bars shares" aria-label={label}>
      {rows.map(({ name, percent, note }) => (
        <li key={name}>
          <span className="bar-name" title={name}>
            {name}
          </span>
          <meter className="tone-none" min={0} max={100} value={percent} aria-label={name} />
          <span className="number">{inPercent(percent)}</span>
          <span className="muted">{note}</span>
        </li>
      ))}
    </ul>
  );
}
