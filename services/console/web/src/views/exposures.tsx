import type { ExposureView } from '../api/types.ts';
import { Usd } from '../parts/basics.tsx';
import { words } from '../words/en.ts';
import { percent } from '../words/format.ts';

type Side = 'in' | 'out' | 'none';

/** Largest share first, each side by itself: the worse of both counts. */
export function Exposures({ rows }: { readonly rows: readonly ExposureView[] }) {
  if (rows.length === 0) return <p className="muted">{words.case.noExposures}</p>;
  const sides = Map.groupBy(rows, ({ side }): Side => side ?? 'none');
  return [...sides].map(([side, own]) => (
    <div key={side}>
      <h4>{words.case.sides[side]}</h4>
      <table className="exposures">
        <tbody>
          {own
            .toSorted((a, b) => (b.percent ?? 0) - (a.percent ?? 0))
            .map((row) => (
              <tr key={`${row.entity} ${row.risk_type} ${row.exposure_type} ${row.hop_num}`}>
                <th scope="row">
                  {row.entity} <span className="muted">{row.risk_type}</span>
                </th>
                <td>{row.exposure_type === 'direct' ? words.case.direct : words.case.hops(row.hop_num)}</td>
                <td className="number">
                  <Usd value={row.volume} />
                </td>
                <td className="share">
                  {row.percent !== null && (
                    <>
                      <meter min={0} max={100} value={row.percent} aria-label={row.entity} />
                      <span className="number">{percent(row.percent)}</span>
                    </>
                  )}
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  ));
}
