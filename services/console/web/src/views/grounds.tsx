import { tenths } from '@weir/risk-report/contributions';
import type { LevelName, ScoreGrounds } from '../api/types.ts';
import { words } from '../words/en.ts';

const { grounds: text } = words;

interface GroundsProps {
  readonly of: ScoreGrounds;
  readonly level: LevelName;
}

/** The points of a score, which add up to it, and the findings without which its level would be another. */
export function Grounds({ of: { contributions, counterfactuals }, level }: GroundsProps) {
  const points = tenths(contributions.map((each) => each.points));
  const score = Math.round(points.reduce((sum, each) => sum + each, 0));
  return (
    <>
      <h3>{text.title}</h3>
      <table className="exposures grounds">
        <tbody>
          {contributions.map(({ key }, n) => (
            <tr key={key}>
              <th scope="row">{text.contribution(key)}</th>
              <td className="share">
                <meter min={0} max={100} value={Math.max(points[n] ?? 0, 0)} aria-label={text.contribution(key)} />
                <span className="number">{(points[n] ?? 0).toFixed(1)}</span>
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{text.sum}</th>
            <td className="share">
              <span className="number">{score}</span>
            </td>
          </tr>
        </tfoot>
      </table>
      <h3>{text.without}</h3>
      {counterfactuals.length === 0 && <p className="muted">{text.noneDecides(words.levels[level])}</p>}
      <ul className="plain-list">
        {counterfactuals.map(({ without, score: other, risk_level: then }) => (
          <li key={without}>{text.wouldBe(text.contribution(without), words.levels[then], other)}</li>
        ))}
      </ul>
    </>
  );
}
