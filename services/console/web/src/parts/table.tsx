import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button, Checkbox, type CheckboxProps } from 'react-aria-components';
import { NavigationType, useNavigate, useNavigationType } from 'react-router';
import { useRowKeys } from './row-keys.ts';
import { words } from '../words/en.ts';

export interface Column<Row> {
  readonly name: string;
  /** CSS grid track; its first length is in `rem`, and the least that the column takes. */
  readonly width: string;
  readonly cell: (row: Row, index: number) => ReactNode;
  /** In place of the name. */
  readonly head?: ReactNode;
}

interface More {
  readonly has: boolean;
  readonly isLoading: boolean;
  /** Rows are read, these or others. */
  readonly isReading: boolean;
  /** The last load failed: the reader may try again. */
  readonly hasFailed: boolean;
  readonly load: () => void;
}

/** The next page of a query. */
export function moreOf(
  read: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetching' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'fetchNextPage'>,
): More {
  return {
    has: read.hasNextPage,
    isLoading: read.isFetchingNextPage,
    isReading: read.isFetching,
    hasFailed: read.isFetchNextPageError,
    load: () => void read.fetchNextPage(),
  };
}

interface MarkBoxProps extends Pick<CheckboxProps, 'isSelected' | 'isIndeterminate' | 'onChange'> {
  readonly label: string;
}

function MarkBox({ label, ...props }: MarkBoxProps) {
  return (
    <Checkbox className="mark" aria-label={label} {...props}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={props.isIndeterminate === true ? 'M3 8h10' : 'M3 8.5l3.5 3.5L13 4.5'} />
      </svg>
    </Checkbox>
  );
}

interface Marking<Row> {
  readonly column: Column<Row>;
  readonly toggle: (index: number, isRange?: boolean) => void;
}

/** A press with Shift marks from the row before it to this one, or takes their marks away. */
function useMarking<Row>(rows: readonly Row[], { has, mark, label, isFull }: Marks<Row>): Marking<Row> {
  const [last, setLast] = useState<Row>();
  const hasShift = useRef(false);
  const toggle = (index: number, isRange = false): void => {
    const row = rows[index];
    if (row === undefined) return;
    const from = last === undefined || !isRange ? -1 : rows.indexOf(last);
    mark(from === -1 ? [row] : rows.slice(Math.min(from, index), Math.max(from, index) + 1), !has(row));
    setLast(row);
  };
  const isAll = isFull || rows.every(has);
  const column: Column<Row> = {
    name: words.bulk.mark,
    width: '2.6rem',
    head: (
      <MarkBox
        label={words.bulk.markAll}
        isSelected={isAll}
        isIndeterminate={!isAll && rows.some(has)}
        onChange={() => mark(rows, !isAll)}
      />
    ),
    cell: (row, index) => (
      <span
        onPointerDownCapture={(event) => {
          hasShift.current = event.shiftKey;
        }}
        // A press may have ended elsewhere.
        onKeyDownCapture={() => {
          hasShift.current = false;
        }}
        // The browser would select the texts between.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      >
        <MarkBox
          label={label(row)}
          isSelected={has(row)}
          onChange={() => {
            toggle(index, hasShift.current);
            hasShift.current = false;
          }}
        />
      </span>
    ),
  };
  return { column, toggle };
}

const noMarks: Marks<unknown> = { has: () => false, mark: () => undefined, label: () => '', isFull: false };

interface TableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly none: string;
  readonly pathOf: (row: Row) => string;
  readonly more?: More;
  /** One table of a page has the keys. */
  readonly hasKeys?: boolean;
  /** Rows can be marked: by a box in the first column, and by `x`. */
  readonly marks?: Marks<Row>;
}

export interface Marks<Row> {
  readonly has: (row: Row) => boolean;
  readonly mark: (rows: readonly Row[], isMarked: boolean) => void;
  readonly label: (row: Row) => string;
  /** No more can be marked. */
  readonly isFull: boolean;
}

const rowHeight = 44;
/** With its border. */
const headHeight = 36;
const gapRem = 0.6;
const paddingRem = 0.8;

/** Of all rows and the head, so that they have the same columns. */
function layoutOf(widths: readonly string[]): {
  readonly gridTemplateColumns: string;
  readonly columnGap: string;
  readonly minWidth: string;
} {
  const least = widths.reduce((sum, width) => sum + Number(/[\d.]+(?=rem)/.exec(width)?.[0] ?? 0), 0);
  const between = gapRem * (widths.length - 1) + 2 * paddingRem;
  return { gridTemplateColumns: widths.join(' '), columnGap: `${gapRem}rem`, minWidth: `${least + between}rem` };
}

/** Some screens of rows. */
const nearEnd = 40;
/** Rows that are loaded again for the chosen one, when the reader comes back to a list. */
const mostAwaited = 1_000;

/** Rows that are in view alone are drawn, and further ones are loaded when the reader comes near the end. `j`, `k` and Enter choose a row. */
export function Table<Row>({ label, rows, columns: own, none, pathOf, more, marks, hasKeys = true }: TableProps<Row>) {
  const marking = useMarking(rows, marks ?? noMarks);
  const columns = marks === undefined ? own : [marking.column, ...own];
  const scroller = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    // The head stands above the rows, and stays while they scroll.
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
  });
  const lastDrawn = virtual.getVirtualItems().at(-1)?.index ?? 0;
  const isNearEnd = rows.length > 0 && lastDrawn >= rows.length - nearEnd;
  // An event that reads the rows again ends the load of further ones, which the reader has asked for.
  const [wanted, want] = useState(0);
  // A screen reader reads the row that the keys moved to.
  const isMoved = useRef(false);
  const acts = {
    onMove: (index: number) => {
      isMoved.current = true;
      virtual.scrollToIndex(index);
    },
    onOpen: (index: number) => {
      const row = rows[index];
      if (row !== undefined) void navigate(pathOf(row));
    },
    onMark: (index: number) => marking.toggle(index),
  };
  const {
    index: chosen,
    reach,
    choose,
  } = useRowKeys(
    rows.map((row) => pathOf(row)),
    hasKeys ? acts : undefined,
  );
  const isBack = useNavigationType() === NavigationType.Pop;
  // A list that was away for long has its first page alone.
  const isAwaited = isBack && chosen < 0 && rows.length < Math.min(reach, mostAwaited) && more?.has === true;
  const isLacking = (rows.length < wanted || isAwaited) && more?.isReading === false;
  const isDue = (isNearEnd || isLacking) && more !== undefined && more.has && !more.isLoading && !more.hasFailed;
  const load = useEffectEvent(() => more?.load());
  useEffect(() => {
    if (isDue) load();
  }, [isDue, rows.length]);
  const chosenRow = rows[chosen];
  const chosenPath = chosenRow && pathOf(chosenRow);
  const hasCome = useRef(false);
  const show = useEffectEvent(() => {
    const isArrival = !hasCome.current;
    hasCome.current = !isAwaited;
    // A reader who comes by a link begins at the top.
    if (chosenPath === undefined || (isArrival && !isBack)) return;
    if (isArrival) virtual.scrollToIndex(chosen);
    // Also of the page, in which the table may end below the window. Not when rows come above the chosen one.
    else scroller.current?.querySelector('.chosen')?.scrollIntoView({ block: 'nearest' });
  });
  useEffect(() => show(), [chosenPath]);
  // The row may be drawn later than it is chosen.
  useEffect(() => {
    const row = scroller.current?.querySelector('.chosen');
    if (!isMoved.current || row == null) return;
    isMoved.current = false;
    const links = [...row.querySelectorAll('a')];
    (links.find((link) => link.getAttribute('href') === chosenPath) ?? links[0])?.focus({ preventScroll: true });
  });
  const button = more?.has === true && (
    <Button
      className="more"
      isDisabled={more.isLoading}
      onPress={() => {
        want(rows.length + 1);
        more.load();
      }}
    >
      {more.isLoading ? words.states.loading : words.states.more}
    </Button>
  );
  // A page may be empty before the last one.
  if (rows.length === 0) return button === false ? <p className="muted">{none}</p> : <p className="muted">{button}</p>;
  const layout = layoutOf(columns.map(({ width }) => width));
  return (
    <>
      <div className="table" role="table" aria-label={label} aria-rowcount={rows.length + 1} ref={scroller} tabIndex={0}>
        <div role="rowgroup" className="table-head" style={{ minWidth: layout.minWidth, height: headHeight }}>
          <div role="row" style={layout} aria-rowindex={1}>
            {columns.map(({ name, head = name }) => (
              <span role="columnheader" key={name}>
                {head}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="table-body" style={{ minWidth: layout.minWidth, height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index] as Row;
            return (
              <div
                role="row"
                key={pathOf(row)}
                className={index === chosen ? 'table-row chosen' : 'table-row'}
                aria-rowindex={index + 2}
                aria-selected={index === chosen}
                style={{ ...layout, height: rowHeight, transform: `translateY(${start - headHeight}px)` }}
                {...(hasKeys && { onClick: () => choose(pathOf(row)) })}
              >
                {columns.map(({ name, cell }) => (
                  <span role="cell" key={name}>
                    {cell(row, index)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {button}
    </>
  );
}
