import { randomBytes } from 'node:crypto';
import { startUpstream, type Upstream } from '@weir/risk-client/testing';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';

export interface WithUpstream {
  readonly upstream: Upstream;
  readonly installation: Installation;
  close(): Promise<void>;
}

/** A running installation with a scripted risk API and encrypted permit keys. */
export async function startWithUpstream(env: Readonly<Record<string, string>> = {}): Promise<WithUpstream> {
  const upstream = await startUpstream();
  const installation = await makeInstallation({
    env: {
      WEIR_UPSTREAM_URL: upstream.url,
      WEIR_UPSTREAM_API_KEY: upstream.apiKey,
      WEIR_UPSTREAM_PER_SECOND: '50',
      WEIR_UPSTREAM_PER_DAY: '1000000',
      WEIR_UPSTREAM_POLL_MS: '100',
      WEIR_PERMIT_KEY_SECRET: randomBytes(24).toString('hex'),
      ...env,
    },
  });
  const close = async (): Promise<void> => {
    await installation.remove();
    await upstream.close();
  };
  try {
    await installation.start();
    return { upstream, installation, close };
  } catch (error) {
    await close();
    throw error;
  }
}
