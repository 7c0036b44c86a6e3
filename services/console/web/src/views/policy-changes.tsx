import type { PolicyDifference } from '../api/types.ts';
import { SmallTable } from '../parts/small-table.tsx';
import { words } from '../words/en.ts';

const { policy: text } = words;

/** How one policy decides differently from another. */
export function Changes({ rows }: { readonly rows: PolicyDifference['changes'] }) {
  return (
    <SmallTable
      label={text.differences}
      rows={rows}
      keyOf={({ text: line }) => line}
      none={text.same}
      columns={[
        { name: text.about, cell: ({ about }) => about },
        { name: text.before, cell: ({ from }) => from ?? '–' },
        { name: text.after, cell: ({ to }) => to ?? '–' },
      ]}
    />
  );
}
