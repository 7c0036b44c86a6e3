import type { Clock } from '@weir/clock';

export interface Progress {
  /** `done` of the work, and of how many when that is known. */
  show(done: number, total: number | undefined, rest?: string): void;
  /** Takes the line away, so that something else can be written. */
  clear(): void;
}

/** A terminal is not drawn to more often than an eye can follow. */
const everyMs = 100;
const width = 24;

/** One line on stderr that is drawn over itself; nothing where stderr is no terminal. */
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
