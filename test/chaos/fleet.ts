import { join } from 'node:path';
import { freePort } from '../support/stack/ports.ts';
import { Replica } from '../support/stack/replica.ts';
import { type ServiceName, services, type Undo, type Which } from './deployment.ts';

export class Fleet {
  readonly #replicas: ReadonlyMap<ServiceName, readonly [Replica, Replica]>;

  private constructor(replicas: ReadonlyMap<ServiceName, readonly [Replica, Replica]>) {
    this.#replicas = replicas;
  }

  /** Each start reads `env` anew. */
  static async make(env: NodeJS.ProcessEnv, logs: string | undefined): Promise<Fleet> {
    const make = async (service: ServiceName, n: 1 | 2): Promise<Replica> => {
      const name = `${service}-${n}`;
      const logFile = logs === undefined ? undefined : join(logs, `${name}.log`);
      return new Replica({ name, script: `services/${service}/src/main.ts`, port: await freePort(), env, logFile });
    };
    const replicas = new Map<ServiceName, readonly [Replica, Replica]>();
    for (const service of services) replicas.set(service, [await make(service, 1), await make(service, 2)]);
    return new Fleet(replicas);
  }

  /** The first replicas migrate the database. Starting all at once would overload two cores. */
  async start(): Promise<void> {
    for (const which of ['first', 'second'] as const) await Promise.all(this.chosen(services, which).map((replica) => replica.start()));
  }

  chosen(names: readonly ServiceName[], which: Which): Replica[] {
    return names.flatMap((name) => {
      const pair = this.#replicas.get(name);
      if (pair === undefined) throw new TypeError(`no service ${name}`);
      if (which === 'both') return [...pair];
      return [which === 'first' ? pair[0] : pair[1]];
    });
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
