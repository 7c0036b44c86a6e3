import { readdirSync, readFileSync } from 'node:fs';

export interface Usage {
  /** Of the youngest process. */
  readonly pid: number;
  readonly rssBytes: number;
  /** Proportional set size: a page that processes share counts once. */
  readonly pssBytes: number;
  /** Open file descriptors. */
  readonly handles: number;
  readonly count: number;
}

/** Servers among the descendants of this process, by words of their command. */
const servers: readonly (readonly [string, RegExp])[] = [
  ['broker', /kafka\.Kafka/],
  ['registry', /apicurio-registry/],
  ['redis', /redis-server/],
  ['postgres', /^(\S*\/)?postgres\b/],
  ['upstream', /chaos\/upstream-process/],
];

/** `named` are processes by name, undefined while one is down. PostgreSQL is the sum of its processes. */
export function usageBy(named: ReadonlyMap<string, number | undefined>): Readonly<Record<string, Usage>> {
  const byName = new Map<string, number[]>([...named].flatMap(([name, pid]) => (pid === undefined ? [] : [[name, [pid]]])));
  for (const pid of descendants(process.pid)) {
    const command = textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
    // Its supervisor has the server's command among its arguments.
    const name = command.includes('supervisor-process') ? undefined : servers.find(([, words]) => words.test(command))?.[0];
    if (name !== undefined) byName.set(name, [...(byName.get(name) ?? []), pid]);
  }
  return Object.fromEntries([...byName].map(([name, pids]): [string, Usage] => [name, usageOf(pids)]));
}

function usageOf(pids: readonly number[]): Usage {
  const all = pids.map((pid) => {
    const memory = textOf(`/proc/${pid}/smaps_rollup`);
    const bytes = (of: string): number => Number(new RegExp(`^${of}: +(\\d+) kB$`, 'm').exec(memory)?.[1] ?? 0) * 1_024;
    return { rss: bytes('Rss'), pss: bytes('Pss'), handles: handlesOf(pid) };
  });
  const sum = (of: (one: (typeof all)[number]) => number): number => all.reduce((total, one) => total + of(one), 0);
  return {
    pid: Math.max(...pids),
    rssBytes: sum(({ rss }) => rss),
    pssBytes: sum(({ pss }) => pss),
    handles: sum(({ handles }) => handles),
    count: pids.length,
  };
}

function descendants(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = textOf(`/proc/${name}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = (pid: number): number[] => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(root);
}

function handlesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Empty where the process has just ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
