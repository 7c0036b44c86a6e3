import { join } from 'node:path';
import { freePort } from '../support/stack/ports.ts';
import { Replica } from '../support/stack/replica.ts';
import { type ServiceName, services, type Undo, type Which } from './deployment.ts';

/** Services that share a process where they are composed: those of a transfer's path. */
const composedStages: readonly ServiceName[] = ['deposit-ingest', 'scoring', 'decision'];

export interface FleetOptions {
  readonly logs: string | undefined;
  readonly isComposed: boolean;
}

export class Fleet {
  /** By service; services of one process have the same ones. */
  readonly #replicas: ReadonlyMap<ServiceName, readonly [Replica, Replica]>;

  private constructor(replicas: ReadonlyMap<ServiceName, readonly [Replica, Replica]>) {
    this.#replicas = replicas;
  }

  /** Each start reads `env` anew. */
  static async make(env: NodeJS.ProcessEnv, { logs, isComposed }: FleetOptions): Promise<Fleet> {
    const make = async (program: string, script: string, n: 1 | 2): Promise<Replica> => {
      const name = `${program}-${n}`;
      const logFile = logs === undefined ? undefined : join(logs, `${name}.log`);
      return new Replica({ name, script, port: await freePort(), env, logFile });
    };
    const pair = async (program: string, script: string): Promise<readonly [Replica, Replica]> => [
      await make(program, script, 1),
      await make(program, script, 2),
    ];
    const replicas = new Map<ServiceName, readonly [Replica, Replica]>();
    if (isComposed) {
      // Services that run alone do not read it.
      env['WEIR_STAGES'] = composedStages.join(',');
      const composed = await pair('pipeline', 'packages/installation/src/main.ts');
      for (const service of composedStages) replicas.set(service, composed);
    }
    for (const service of services)
      if (!replicas.has(service)) replicas.set(service, await pair(service, `services/${service}/src/main.ts`));
    return new Fleet(replicas);
  }

  /** The first replicas migrate the database. Starting all at once would overload two cores. */
  async start(): Promise<void> {
    for (const which of ['first', 'second'] as const) await Promise.all(this.chosen(services, which).map((replica) => replica.start()));
  }

  chosen(names: readonly ServiceName[], which: Which): Replica[] {
    const chosen = names.flatMap((name) => {
      const pair = this.#replicas.get(name);
      if (pair === undefined) throw new TypeError(`no service ${name}`);
      if (which === 'both') return [...pair];
      return [which === 'first' ? pair[0] : pair[1]];
    });
    return [...new Set(chosen)];
  }

  async end(names: readonly ServiceName[], which: Which, signal: 'SIGKILL' | 'SIGTERM'): Promise<Undo> {
    const ending = this.chosen(names, which);
    await Promise.all(ending.map((replica) => replica.end(signal)));
    return async () => {
      await Promise.all(ending.map((replica) => replica.start()));
    };
  }

  async setClock(which: Which, clockMs: number): Promise<Undo> {
    const set = this.chosen(services, which);
    await Promise.all(set.map((replica) => replica.setClock(clockMs)));
    return async () => {
      await Promise.all(set.map((replica) => replica.setClock(0)));
    };
  }

  ended(): Readonly<Record<string, number>> {
    const all = this.chosen(services, 'both').filter(({ ended }) => ended > 0);
    return Object.fromEntries(all.map(({ name, ended }) => [name, ended]));
  }

  output(): string {
    return this.chosen(services, 'both')
      .map((replica) => `--- ${replica.name}\n${replica.output().slice(-600)}`)
      .join('\n');
  }
}
