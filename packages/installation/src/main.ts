/** Several services of the pipeline in one process: those of WEIR_STAGES. */
import { ConfigError, runService } from '@weir/service-kit';
import { startStages } from './compose.ts';
import { pipelineSchema } from './settings.ts';
import { chosenStages } from './stages.ts';

// A process that `weir start` has started ends with it.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

await runService({
  name: 'pipeline',
  program: 'packages/installation/src/main.ts',
  purpose: 'Runs several services of the pipeline in one process.',
  port: 4000,
  schema: pipelineSchema,
  start: (pipeline, settings) => {
    if (settings.upstreamUrl === '' && chosenStages(settings.stages).includes('scoring'))
      throw new ConfigError('setting WEIR_UPSTREAM_URL is not set: scoring needs a risk API here');
    return startStages(pipeline, settings);
  },
});
