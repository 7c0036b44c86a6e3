import { ConfigError, runService } from '@weir/service-kit';
import { scoringSchema, startScoring } from './index.ts';

await runService({
  name: 'scoring',
  purpose: 'Asks the risk API within its budget.',
  port: 4003,
  schema: scoringSchema,
  start: (pipeline, settings) => {
    if (settings.upstreamUrl === '') throw new ConfigError('setting WEIR_UPSTREAM_URL is not set: standalone scoring needs a risk API');
    return startScoring(pipeline, settings);
  },
});
