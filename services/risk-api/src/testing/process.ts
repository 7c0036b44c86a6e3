import { type ServiceProcess, startServiceProcess } from '../../../../test/stack/service.ts';

/** The service as it runs by itself. */
export interface Process extends Pick<ServiceProcess, 'url' | 'child' | 'exit'> {
  /** Of the sandbox, where it has a listener of its own. */
  readonly sandboxUrl: string | undefined;
}

export async function startProcess(databaseUrl: string, env: Readonly<Record<string, string>> = {}): Promise<Process> {
  const { listening, ...started } = await startServiceProcess('risk-api', { DATABASE_URL: databaseUrl, ...env });
  const { sandbox_port: port } = listening;
  return { ...started, sandboxUrl: port === undefined ? undefined : `http://127.0.0.1:${Number(port)}` };
}
