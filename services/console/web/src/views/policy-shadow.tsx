import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { disagreements } from '../api/queries.ts';
import type { DisagreementsView } from '../api/types.ts';
import { Badge, Section, Time, Usd } from '../parts/basics.tsx';
import { midnightBefore } from '../parts/days-choice.tsx';
import { ExportLink } from '../parts/export-link.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { Loaded } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { decimal } from '../words/format.ts';
import { ActionMatrix } from './action-matrix.tsx';

const { policy: text } = words;
const days = 7;

/** What the candidate would have decided otherwise. */
export function Shadow() {
  const since = midnightBefore(days - 1);
  const read = useQuery(disagreements(since));
  return (
    <Section title={text.shadow}>
      <p className="muted">{text.shadowHint(days)}</p>
      <Loaded read={read}>{(data) => <Found data={data} since={since} />}</Loaded>
    </Section>
  );
}

function Found({ data: { cells, items }, since }: { readonly data: DisagreementsView; readonly since: string }) {
  if (cells.length === 0) return <p className="muted">{text.agrees}</p>;
  return (
    <>
      <ActionMatrix
        label={text.shadow}
        file="policy-shadow"
        cells={cells.map(({ action: was, shadow, count }) => ({ was, would_be: shadow, count }))}
      />
      <SmallTable
        label={text.decided}
        rows={items}
        keyOf={({ screening_id: id, revision }) => `${id} ${revision}`}
        columns={[
          {
            name: text.decided,
            cell: ({ screening_id: id, decided_at: at }) => (
              <Link to={`/app/screenings/${id}`}>
                <Time iso={at} />
              </Link>
            ),
          },
          { name: text.transfer, cell: ({ kind, amount, coin }) => `${words.kinds[kind]} ${decimal(amount, 6)} ${coin}` },
          { name: words.columns.value, isNumber: true, cell: ({ usd_value: value }) => <Usd value={value} /> },
          { name: text.decision, cell: ({ action }) => <Badge tone={action}>{words.actions[action]}</Badge> },
          { name: text.candidate, cell: ({ shadow }) => <Badge tone={shadow}>{words.actions[shadow]}</Badge> },
          { name: text.rule, cell: ({ rule }) => rule ?? '–' },
        ]}
      />
      <ExportLink list="policy-disagreements" filter={{ since }} />
    </>
  );
}
