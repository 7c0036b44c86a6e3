import type { Deployment, Tier } from './deployment.ts';
import { startEmbeddedDeployment } from './embedded.ts';
import { startKafkaDeployment } from './kafka.ts';

/** `logs` is a folder for the services' output. */
export function startDeployment(tier: Tier, options: { logs?: string | undefined } = {}): Promise<Deployment> {
  return tier === 'embedded' ? startEmbeddedDeployment(options) : startKafkaDeployment(options);
}
