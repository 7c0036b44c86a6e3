import { ConfigError, runService } from '@weir/service-kit';
import { sessionSchema, withSessions } from '@weir/sessions';
import { scoringSchema, startScoring } from './index.ts';

await runService({
  name: 'scoring',
  purpose: 'Asks the risk API within its budget.',
  port: 4003,
  schema: { ...scoringSchema, ...sessionSchema },
  start: (pipeline, settings) => {
    if (settings.upstreamUrl === '') throw new ConfigError('setting WEIR_UPSTREAM_URL is not set: standalone scoring needs a risk API');
    return startScoring(withSessions(pipeline, settings, { notesUse: false }), settings);
  },
});
