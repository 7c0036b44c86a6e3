import type { Undo } from './deployment.ts';

/** The first of overlapping faults takes the part down, the last brings it back, one at a time. */
export function switchOf(off: () => Promise<void>, on: () => Promise<void>): () => Promise<Undo> {
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  };
  let wanting = 0;
  let isOff = false;
  return () => {
    wanting += 1;
    return inTurn(async () => {
      if (!isOff) await off();
      isOff = true;
      return () =>
        inTurn(async () => {
          wanting -= 1;
          if (wanting > 0 || !isOff) return;
          await on();
          isOff = false;
        });
    });
  };
}
