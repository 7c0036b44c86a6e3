import { connectToRunning } from '@weir/postgres';
import { type ServiceProcess, startServiceProcess } from '../support/stack/service.ts';
import type { Own } from './scenario.ts';
import type { World } from './world.ts';

/** A process of one service, for one scenario and watched by Prometheus. Without other settings it is a replica of the installation's. */
export async function startService(
  { installation, prometheus }: World,
  { atEnd }: Own,
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const service = await startServiceProcess(name, { DATABASE_URL: connectToRunning(installation.dataDir) ?? '', ...env });
  atEnd(async () => {
    service.child.kill('SIGTERM');
    await service.exit;
  });
  const url = env['WEIR_TLS_CERT_FILE'] === undefined ? service.url : service.url.replace('http:', 'https:');
  atEnd(await prometheus.watch({ url, service: name }));
  return service;
}
