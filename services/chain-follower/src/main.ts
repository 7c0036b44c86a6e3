import { ConfigError, runService } from '@weir/service-kit';
import { chainFollowerSchema, startChainFollower } from './index.ts';

await runService({
  name: 'chain-follower',
  purpose: 'Follows chains by their nodes and stores their transfers.',
  port: 4007,
  schema: chainFollowerSchema,
  start: (pipeline, settings) => {
    if (settings.chainNodes === '') throw new ConfigError('setting WEIR_CHAIN_NODES is not set: there is no chain to follow');
    return startChainFollower(pipeline, settings);
  },
});
