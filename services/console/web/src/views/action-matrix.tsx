import type { BacktestView } from '../api/types.ts';
import { SmallTable } from '../parts/small-table.tsx';
import { words } from '../words/en.ts';
import { whole } from '../words/format.ts';

const { policy: text } = words;
const actions = ['allow', 'review', 'block'] as const;

interface ActionMatrixProps {
  readonly label: string;
  readonly cells: BacktestView['cells'];
  readonly file: string;
}

/** How often one policy decides what another decides otherwise. Counts of the same pair add up. */
export function ActionMatrix({ label, cells, file }: ActionMatrixProps) {
  const countOf = (was: string, to: string): number =>
    cells.filter((cell) => cell.was === was && cell.would_be === to).reduce((sum, { count }) => sum + count, 0);
  return (
    <SmallTable
      label={label}
      file={file}
      rows={actions}
      keyOf={(was) => was}
      columns={[
        { name: text.was, cell: (was) => words.actions[was], value: (was) => words.actions[was] },
        ...actions.map((to) => ({
          name: text.wouldBe(words.actions[to]),
          isNumber: true,
          value: (was: (typeof actions)[number]) => countOf(was, to),
          cell: (was: (typeof actions)[number]) => (
            <span className={was !== to && countOf(was, to) > 0 ? 'differs' : ''}>{whole(countOf(was, to))}</span>
          ),
        })),
      ]}
    />
  );
}
