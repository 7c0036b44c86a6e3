/** The instant risk API in a process of its own, so that it does not take its time from what is measured. Tells its address and ends with its parent. */
import { startUpstream } from '@weir/risk-client/testing';

const upstream = await startUpstream();
process.send?.({ url: upstream.url, apiKey: upstream.apiKey });
process.once('disconnect', () => void upstream.close());
