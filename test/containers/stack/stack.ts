import { join } from 'node:path';
import type { ComposeCommand } from '../engine/compose.ts';
import { type RunOptions, run } from '../engine/run.ts';

export const projectRoot = join(import.meta.dirname, '..', '..', '..');

/** The location of a running stack, passed to the tests as JSON. */
export interface StackPlace {
  readonly project: string;
  /** The engine; empty for the default of `docker`. */
  readonly dockerHost: string;
  readonly compose: ComposeCommand;
  /** Takes the place of `.env`. */
  readonly envFile?: string;
  readonly ports: Readonly<Record<PortVariable, string>>;
  /** Services whose image can be neither pulled nor built here, or whose substitute lacks their programs. */
  readonly absent: readonly string[];
  readonly standIns: readonly string[];
}

export const portVariables = [
  'WEIR_INGEST_PORT',
  'WEIR_GATE_PORT',
  'WEIR_CONSOLE_PORT',
  'WEIR_RISK_API_PORT',
  'WEIR_PROMETHEUS_PORT',
  'WEIR_ALERTMANAGER_PORT',
  'WEIR_GRAFANA_PORT',
] as const;
export type PortVariable = (typeof portVariables)[number];

export const placeVariable = 'WEIR_CHECK_STACK';

/** The used fields of `docker compose config`. */
export interface ServiceConfig {
  readonly image: string;
  readonly build?: unknown;
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string | null>>;
}

export class Stack {
  readonly place: StackPlace;

  constructor(place: StackPlace) {
    this.place = place;
  }

  static join(): Stack {
    const place = process.env[placeVariable];
    if (place === undefined) throw new Error('no stack is running: run the tests with `npm run test:containers`');
    return new Stack(JSON.parse(place) as StackPlace);
  }

  compose(args: readonly string[], options: RunOptions = {}): Promise<string> {
    const [program, ...first] = this.place.compose;
    const { project, envFile } = this.place;
    const own = ['--project-name', project, ...(envFile === undefined ? [] : ['--env-file', envFile])];
    return run(program, [...first, ...own, ...args], this.#options(options));
  }

  docker(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return run('docker', args, this.#options(options));
  }

  async services(): Promise<Record<string, ServiceConfig>> {
    const json = await this.compose(['--profile', '*', 'config', '--format', 'json']);
    return (JSON.parse(json) as { services: Record<string, ServiceConfig> }).services;
  }

  /** Ended containers included. */
  async containers(service: string): Promise<string[]> {
    return (await this.compose(['ps', '--all', '--quiet', service])).split('\n').filter((id) => id !== '');
  }

  url(port: PortVariable): string {
    return `http://127.0.0.1:${this.place.ports[port]}`;
  }

  async credentials(): Promise<{ tokens: Record<string, string>; standard_api_key: string; sandbox_api_key: string }> {
    return JSON.parse(await this.secret('credentials/credentials.json'));
  }

  /** A file that the command line's container has. */
  secret(path: string): Promise<string> {
    return this.compose(['run', '--rm', '-T', '--entrypoint', 'cat', 'weir', `/secrets/${path}`]);
  }

  #options(options: RunOptions): RunOptions {
    const { dockerHost, ports } = this.place;
    const env = {
      ...(dockerHost === '' ? {} : { DOCKER_HOST: dockerHost }),

      ...ports,
    };
    return { cwd: projectRoot, limitMs: 300_000, ...options, env: { ...env, ...options.env } };
  }
}
