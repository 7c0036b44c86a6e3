import type { ExposureView } from '../api/types.ts';
import { Hash, Time, Usd } from '../parts/basics.tsx';
import { FileButton, type FileColumn } from '../parts/file-button.tsx';
import { words } from '../words/en.ts';
import { decimal, isKnownAmount, percent } from '../words/format.ts';

type Side = 'in' | 'out' | 'none';

const howFar = ({ exposure_type: type, hop_num: hops }: ExposureView): string =>
  type === 'direct' ? words.case.direct : words.case.hops(hops);

/** Of the way of the money, in the order of time. */
export const txidsOf = ({ path = [] }: Pick<ExposureView, 'path'>): string => path.map(({ txid }) => txid).join(' ');

const columns: readonly FileColumn<ExposureView>[] = [
  { name: words.case.side, value: ({ side }) => words.case.sides[side ?? 'none'] },
  { name: words.case.entity, value: ({ entity }) => entity },
  { name: words.case.riskType, value: ({ risk_type: type }) => words.riskType(type) },
  { name: words.case.labels, value: ({ sources = [] }) => sources.join(', ') },
  { name: words.case.distance, value: howFar },
  { name: words.columns.value, value: ({ volume }) => volume },
  { name: words.case.percent, value: ({ percent: share }) => share },
  { name: words.case.counterparty, value: ({ counterparty }) => counterparty ?? null },
  { name: words.case.txids, value: txidsOf },
];

/** Largest share first, each side by itself: the worse of both counts. */
export function Exposures({ rows }: { readonly rows: readonly ExposureView[] }) {
  if (rows.length === 0) return <p className="muted">{words.case.noExposures}</p>;
  const sides = [...Map.groupBy(rows, ({ side }): Side => side ?? 'none')].map(
    ([side, own]) => [side, own.toSorted((a, b) => (b.percent ?? 0) - (a.percent ?? 0))] as const,
  );
  return (
    <>
      {sides.map(([side, own]) => (
        <div key={side}>
          <h3>{words.case.sides[side]}</h3>
          <table className="exposures">
            <tbody>
              {own.map((row, at) => (
                <tr key={`${at} ${row.entity} ${row.risk_type}`}>
                  <th scope="row">
                    {row.entity} <span className="muted">{words.riskType(row.risk_type)}</span>
                    {row.sources !== undefined && row.sources.length > 0 && (
                      <div className="muted">{words.case.labelledBy(row.sources.join(', '))}</div>
                    )}
                    <Way row={row} />
                  </th>
                  <td>{howFar(row)}</td>
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
      ))}
      <FileButton file="exposures" label={words.case.exposures} columns={columns} rows={sides.flatMap(([, own]) => own)} />
    </>
  );
}

/** The transfers of an exposure, or of the end of a trace, in the order of time. */
export function Way({ row: { counterparty, path = [] } }: { readonly row: Pick<ExposureView, 'counterparty' | 'path'> }) {
  if (counterparty == null && path.length === 0) return null;
  return (
    <details className="way">
      <summary>{words.case.way(path.length)}</summary>
      {counterparty != null && (
        <p>
          {words.case.counterparty} <Hash value={counterparty} what={words.case.counterparty} />
        </p>
      )}
      <ol>
        {path.map((hop) => (
          <HopLine key={`${hop.txid} ${hop.from} ${hop.to} ${hop.coin} ${hop.amount}`} hop={hop} />
        ))}
      </ol>
    </details>
  );
}

export function HopLine({ hop }: { readonly hop: NonNullable<ExposureView['path']>[number] }) {
  return (
    <li>
      <Time iso={hop.time} /> <span className="number">{isKnownAmount(hop.amount) ? decimal(hop.amount) : words.case.unknownAmount}</span>{' '}
      {hop.coin} <Usd value={hop.usd} />
      <div className="muted">
        <Hash value={hop.from} what={words.fields.from} /> → <Hash value={hop.to} what={words.fields.to} /> {words.case.by}{' '}
        <Hash value={hop.txid} what={words.fields.txid} />
      </div>
    </li>
  );
}
