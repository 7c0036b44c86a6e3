import { type ServiceProcess, startServiceProcess } from '../../../../test/support/stack/service.ts';

/** The service as its own process. */
export interface Process extends Pick<ServiceProcess, 'url' | 'child' | 'exit'> {
  /** URL of the sandbox, where it has its own listener. */
  readonly sandboxUrl: string | undefined;
  /** URL of the pay-per-call API, where it has its own listener. */
  readonly x402Url: string | undefined;
}

export async function startProcess(databaseUrl: string, env: Readonly<Record<string, string>> = {}): Promise<Process> {
  const { listening, ...started } = await startServiceProcess('risk-api', { DATABASE_URL: databaseUrl, ...env });
  const urlOf = (port: unknown): string | undefined => (port === undefined ? undefined : `http://127.0.0.1:${Number(port)}`);
  return { ...started, sandboxUrl: urlOf(listening['sandbox_port']), x402Url: urlOf(listening['x402_port']) };
}
