import { useInfiniteQuery } from '@tanstack/react-query';
import { screenings } from '../api/queries.ts';
import { words } from '../words/en.ts';
import { ExportLink } from './export-link.tsx';
import { casePath, screeningColumns } from './columns.tsx';
import { LongList } from './long-list.tsx';
import { Loaded } from './states.tsx';
import { moreOf, Table } from './table.tsx';

/** The screenings of a filter, the newest first; further pages load while it is scrolled. */
export function ScreeningTable({ label, filter }: { readonly label: string; readonly filter: Parameters<typeof screenings>[0] }) {
  const query = screenings(filter);
  const list = useInfiniteQuery(query);
  return (
    <>
      <ExportLink list="screenings" filter={filter} />
      <Loaded read={list}>
        {({ pages }) => (
          <>
            <LongList pages={pages} queryKey={query.queryKey} />
            <Table
              label={label}
              rows={pages.flatMap(({ items }) => items)}
              columns={screeningColumns}
              none={words.screenings.none}
              pathOf={casePath}
              more={moreOf(list)}
            />
          </>
        )}
      </Loaded>
    </>
  );
}
