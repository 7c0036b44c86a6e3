import type { Clock } from '@weir/clock';

export interface Progress {
  /** `total` is undefined while unknown. */
  show(done: number, total: number | undefined, rest?: string): void;
  /** Removes the line, so that other output can follow. */
  clear(): void;
}

/** Limits the redraws. */
const everyMs = 100;
const width = 24;

/** One line on stderr that redraws itself; nothing when stderr is not a terminal. */
export function openProgress(clock: Clock, stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined };
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    show: (done, total, rest = '') => {
      if (clock.monotonic() - drawnAt < everyMs && done !== total) return;
      drawnAt = clock.monotonic();
      const part = total === undefined || total === 0 ? 0 : Math.min(done / total, 1);
      const bar = total === undefined ? '' : `[${'#'.repeat(Math.round(part * width)).padEnd(width, '.')}] `;
      const count = total === undefined ? String(done) : `${done}/${total}`;
      stream.write(`\r\u001b[2K${`${bar}${count} ${rest}`.slice(0, Math.max((stream.columns || 80) - 1, 20))}`);
    },
    clear: () => void stream.write('\r\u001b[2K'),
  };
}
