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

type Ask = (role: 'ingest' | 'gate' | 'auditor', method: string, path: string, body?: object) => Promise<{ status: number; body: any }>;

/** Calls the pipeline with tokens of the first start; a withdrawal waits for its decision. */
export function askerOf(installation: () => Installation): Ask {
  return async (role, method, path, body) => {
    const own = installation();
    const answer = await fetch(`${own.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${own.token(role)}`, 'content-type': 'application/json', prefer: 'wait=20' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };
}
