import { isAway } from './passing.ts';

interface Waiting<T, R> {
  readonly items: readonly T[];
  readonly ended: PromiseWithResolvers<readonly R[]>;
}

/**
 * Calls during a write share the next one, in order, up to `most` items (a call is never split). A failed write is retried call by call, so
 * each fails for its own reasons, unless the database is unavailable. `write` returns a result per item, or nothing.
 */
export function coalesce<T, R = never>(
  write: (items: readonly T[]) => Promise<readonly R[]>,
  most = Number.POSITIVE_INFINITY,
): (items: readonly T[]) => Promise<readonly R[]> {
  const waiting: Waiting<T, R>[] = [];
  let working = false;
  const writeAlone = ({ items, ended }: Waiting<T, R>): Promise<void> => write(items).then(ended.resolve, ended.reject);

  function take(): Waiting<T, R>[] {
    let items = 0;
    const over = waiting.findIndex((call, nth) => (items += call.items.length) > most && nth > 0);
    return waiting.splice(0, over === -1 ? waiting.length : over);
  }

  async function work(): Promise<void> {
    working = true;
    while (waiting.length > 0) {
      const calls = take();
      const [first] = calls;
      if (calls.length === 1 && first !== undefined) {
        await writeAlone(first);
        continue;
      }
      try {
        const written = await write(calls.flatMap(({ items }) => items));
        let at = 0;
        for (const { items, ended } of calls) ended.resolve(written.slice(at, (at += items.length)));
      } catch (error) {
        for (const call of calls) {
          if (isAway(error)) call.ended.reject(error);
          else await writeAlone(call);
        }
      }
    }
    working = false;
  }

  return (items) => {
    const ended = Promise.withResolvers<readonly R[]>();
    waiting.push({ items, ended });
    if (!working) void work();
    return ended.promise;
  };
}
