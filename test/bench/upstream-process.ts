/**
 * Its own process, so that it takes no time from the measured one. Sends its address, and its counters on 'count'. Arguments: creates
 * allowed in a sliding second, and how many queries answer "running".
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
