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
  const rows = actions.map((was) => {
    const own = cells.filter((cell) => cell.was === was);
    return { was, countOf: (to: string) => own.filter((cell) => cell.would_be === to).reduce((sum, { count }) => sum + count, 0) };
  });
  return (
    <SmallTable
      label={label}
      file={file}
      rows={rows}
      keyOf={({ was }) => was}
      columns={[
        { name: text.was, cell: ({ was }) => words.actions[was], value: ({ was }) => words.actions[was] },
        ...actions.map((to) => ({
          name: text.wouldBe(words.actions[to]),
          isNumber: true,
          value: (row: (typeof rows)[number]) => row.countOf(to),
          cell: (row: (typeof rows)[number]) => (
            <span className={row.was !== to && row.countOf(to) > 0 ? 'differs' : ''}>{whole(row.countOf(to))}</span>
          ),
        })),
      ]}
    />
  );
}
