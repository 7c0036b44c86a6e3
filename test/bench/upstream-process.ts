/**
 * A risk API in a process of its own, so that it does not take its time from what is measured. Tells its address, its books when asked ('count'), and
 * ends with its parent. The first argument is how many creates it allows in a sliding second, the second how often a query says that the task still runs.
 */
import { mostInWindow, startUpstream } from '@weir/risk-client/testing';

const [perSecond, running] = process.argv.slice(2).map(Number);
const upstream = await startUpstream(perSecond === undefined || perSecond === 0 ? {} : { perSecond });
if (running !== undefined && running > 0) upstream.answer(() => ({ running }));
process.send?.({ url: upstream.url, apiKey: upstream.apiKey });
process.on('message', () => {
  const times = upstream.creates.map(({ at }) => at);
  process.send?.({
    creates: times.length,
    limited: upstream.limited,
    mostInSecond: mostInWindow(times, 1_000),
    spanMs: (times.at(-1) ?? 0) - (times[0] ?? 0),
  });
});
process.once('disconnect', () => void upstream.close());
