interface Waiting<T> {
  readonly items: readonly T[];
  readonly ended: PromiseWithResolvers<void>;
}

/**
 * Makes writes take turns within this process: what comes while one is under way goes together in the next, in the order it came.
 * When that fails, each call's items are tried by themselves, so that one call fails for its own reasons only.
 */
export function inTurns<T>(write: (items: readonly T[]) => Promise<void>): (items: readonly T[]) => Promise<void> {
  let waiting: Waiting<T>[] = [];
  let working = false;
  const writeAlone = ({ items, ended }: Waiting<T>): Promise<void> => write(items).then(ended.resolve, ended.reject);

  async function work(): Promise<void> {
    working = true;
    while (waiting.length > 0) {
      const calls = waiting;
      waiting = [];
      const [first] = calls;
      if (calls.length === 1 && first !== undefined) {
        await writeAlone(first);
        continue;
      }
      try {
        await write(calls.flatMap(({ items }) => items));
        for (const { ended } of calls) ended.resolve();
      } catch {
        for (const call of calls) await writeAlone(call);
      }
    }
    working = false;
  }

  return (items) => {
    const ended = Promise.withResolvers<void>();
    waiting.push({ items, ended });
    if (!working) void work();
    return ended.promise;
  };
}
