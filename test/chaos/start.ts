import type { Deployment, Tier } from './deployment.ts';
import { startEmbeddedDeployment } from './embedded.ts';
import { startKafkaDeployment } from './kafka.ts';

/** Starts the whole of a tier, and waits until all of it is ready. `logs`: a folder for the services' own lines. */
export function startDeployment(tier: Tier, options: { logs?: string | undefined } = {}): Promise<Deployment> {
  return tier === 'embedded' ? startEmbeddedDeployment(options) : startKafkaDeployment(options);
}
