import type { Deployment, DeploymentOptions, Tier } from './deployment.ts';
import { startEmbeddedDeployment } from './embedded.ts';
import { startKafkaDeployment } from './kafka.ts';

export function startDeployment(tier: Tier, options: DeploymentOptions = {}): Promise<Deployment> {
  return tier === 'embedded' ? startEmbeddedDeployment(options) : startKafkaDeployment(options);
}
