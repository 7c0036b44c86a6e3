import { type ServiceProcess, startServiceProcess } from '../../../../test/support/stack/service.ts';

/** The service as it runs by itself. */
export interface Process extends Pick<ServiceProcess, 'url' | 'child' | 'exit'> {
  /** Of the sandbox, where it has a listener of its own. */
  readonly sandboxUrl: string | undefined;
  /** Of the pay-per-call API, where it has one. */
  readonly x402Url: string | undefined;
}

export async function startProcess(databaseUrl: string, env: Readonly<Record<string, string>> = {}): Promise<Process> {
  const { listening, ...started } = await startServiceProcess('risk-api', { DATABASE_URL: databaseUrl, ...env });
  const urlOf = (port: unknown): string | undefined => (port === undefined ? undefined : `http://127.0.0.1:${Number(port)}`);
  return { ...started, sandboxUrl: urlOf(listening['sandbox_port']), x402Url: urlOf(listening['x402_port']) };
}
