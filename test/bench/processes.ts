import { readdirSync, readFileSync } from 'node:fs';

/** Processes by kind: those of Weir, of PostgreSQL, and of servers in Java. */
export interface Usage {
  readonly count: number;
  /** Proportional set size: a page that processes share counts once. */
  readonly pssBytes: number;
  readonly cpuSeconds: number;
}

export type Kind = 'weir' | 'postgres' | 'java';

export function usageOfTree(root: number): Readonly<Record<Kind, Usage>> {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)));
  const tree = new Set([root]);
  for (let grown = true; grown; ) {
    const found = all.filter((process) => tree.has(process.parent) && !tree.has(process.pid));
    for (const process of found) tree.add(process.pid);
    grown = found.length > 0;
  }
  const of = (kind: Kind): Usage => {
    const own = all.filter((process) => tree.has(process.pid) && process.kind === kind);
    const sum = (valueOf: (process: Process) => number): number => own.reduce((total, process) => total + valueOf(process), 0);
    return { count: own.length, pssBytes: sum(({ pid }) => pssOf(pid)), cpuSeconds: sum(({ cpuSeconds }) => cpuSeconds) };
  };
  return { weir: of('weir'), postgres: of('postgres'), java: of('java') };
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly kind: Kind;
  readonly cpuSeconds: number;
}

const ticksPerSecond = 100;

function readProcess(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [
      {
        pid,
        parent: Number(fields[1]),
        kind: stat.includes('(postgres') ? 'postgres' : stat.includes('(java') ? 'java' : 'weir',
        // Includes ended children, so that a closed connection's process does not lower the sum.
        cpuSeconds: [11, 12, 13, 14].reduce((sum, nth) => sum + Number(fields[nth]), 0) / ticksPerSecond,
      },
    ];
  } catch {
    return [];
  }
}

function pssOf(pid: number): number {
  try {
    return Number(/^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
