/** `collect` of several gauges: all of a scrape share one refresh. A failed one leaves them unchanged. */
export function oncePerScrape(refresh: () => Promise<void>): () => Promise<void> {
  let refreshing: Promise<void> | undefined;
  return () => {
    refreshing ??= refresh()
      .catch(() => undefined)
      .finally(() => {
        refreshing = undefined;
      });
    return refreshing;
  };
}
