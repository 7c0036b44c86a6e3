/** Opens at the first call, for all callers together. After a failure the next call opens anew. */
export function openOnce<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    const used = (opened ??= open());
    used.catch(() => {
      if (opened === used) opened = undefined;
    });
    return used;
  };
}
