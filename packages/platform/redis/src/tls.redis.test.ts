import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { systemClock } from '@weir/clock';
import { expect, onTestFinished, test } from 'vitest';
import { makeCertificate, openTlsGateway } from '../../../../test/support/stack/certificate.ts';
import { startRedis } from '../../../../test/support/stack/redis.ts';
import { connectRedis } from './index.ts';

test('Redis over TLS', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const certificate = await makeCertificate();
  onTestFinished(() => certificate.remove());
  const { hostname, port } = new URL(server.url);
  const gateway = await openTlsGateway({ host: hostname, port: Number(port) }, certificate);
  onTestFinished(() => gateway.close());
  const url = `rediss://127.0.0.1:${gateway.port}`;
  await expect(connectRedis({ url, clock: systemClock })).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
  // As NODE_EXTRA_CA_CERTS does it.
  const authorities = getCACertificates('default');
  onTestFinished(() => setDefaultCACertificates(authorities));
  setDefaultCACertificates([...authorities, certificate.pem]);
  const redis = await connectRedis({ url, clock: systemClock });
  expect(await redis.ping()).toBe('PONG');
  redis.disconnect();
});
