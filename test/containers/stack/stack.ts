import { join } from 'node:path';
import type { ComposeCommand } from '../engine/compose.ts';
import { type RunOptions, run } from '../engine/run.ts';

export const projectRoot = join(import.meta.dirname, '..', '..', '..');

/** Where a running stack is; handed to the tests as JSON. */
export interface StackPlace {
  readonly project: string;
  /** Of the engine; empty: the one that `docker` finds by itself. */
  readonly dockerHost: string;
  readonly compose: ComposeCommand;
  /** The variables of docker-compose.yml that name its ports, as they are set for this stack. */
  readonly ports: Readonly<Record<PortVariable, string>>;
  /** Services that are not up, for their images can be neither pulled nor built here. */
  readonly absent: readonly string[];
  /** Public images that others stand in for. */
  readonly standIns: readonly string[];
}

export const portVariables = [
  'WEIR_INGEST_PORT',
  'WEIR_GATE_PORT',
  'WEIR_CONSOLE_PORT',
  'WEIR_RISK_API_PORT',
  'WEIR_PROMETHEUS_PORT',
  'WEIR_GRAFANA_PORT',
] as const;
export type PortVariable = (typeof portVariables)[number];

/** The variable that hands a `StackPlace` to the tests. */
export const placeVariable = 'WEIR_CHECK_STACK';

/** One service as `docker compose config` describes it, as far as it is looked at here. */
export interface ServiceConfig {
  readonly image: string;
  readonly build?: unknown;
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string | null>>;
}

/** What can be done with docker-compose.yml, running or not. */
export class Stack {
  readonly place: StackPlace;

  constructor(place: StackPlace) {
    this.place = place;
  }

  /** The stack that the environment of a test names. */
  static join(): Stack {
    const place = process.env[placeVariable];
    if (place === undefined) throw new Error('no stack is running: run the tests with `npm run test:containers`');
    return new Stack(JSON.parse(place) as StackPlace);
  }

  compose(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const [program, ...first] = this.place.compose;
    return run(program, [...first, '--project-name', this.place.project, ...args], this.#options(options));
  }

  docker(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return run('docker', args, this.#options(options));
  }

  /** All services, also those of profiles. */
  async services(): Promise<Record<string, ServiceConfig>> {
    const json = await this.compose(['--profile', '*', 'config', '--format', 'json']);
    return (JSON.parse(json) as { services: Record<string, ServiceConfig> }).services;
  }

  /** Ids of the service's containers, also of those that have ended. */
  async containers(service: string): Promise<string[]> {
    return (await this.compose(['ps', '--all', '--quiet', service])).split('\n').filter((id) => id !== '');
  }

  url(port: PortVariable): string {
    return `http://127.0.0.1:${this.place.ports[port]}`;
  }

  /** What the first start has made: a token for each role, and keys of the risk API. */
  async credentials(): Promise<{ tokens: Record<string, string>; standard_api_key: string; sandbox_api_key: string }> {
    const args = ['run', '--rm', '-T', '--entrypoint', 'cat', 'weir', '/secrets/credentials/credentials.json'];
    return JSON.parse(await this.compose(args));
  }

  #options(options: RunOptions): RunOptions {
    const { dockerHost, ports } = this.place;
    const env = {
      ...(dockerHost === '' ? {} : { DOCKER_HOST: dockerHost }),

      ...ports,
    };
    return { cwd: projectRoot, limitMs: 120_000, ...options, env: { ...env, ...options.env } };
  }
}
