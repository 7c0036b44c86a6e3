import { readdirSync, readFileSync } from 'node:fs';

interface Usage {
  readonly rssBytes: number;
  readonly cpuSeconds: number;
}

export function usageOfTree(root: number): Usage {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)));
  const tree = new Set([root]);
  for (let grown = true; grown; ) {
    const found = all.filter((process) => tree.has(process.parent) && !tree.has(process.pid));
    for (const process of found) tree.add(process.pid);
    grown = found.length > 0;
  }
  const own = all.filter((process) => tree.has(process.pid));
  return {
    rssBytes: own.reduce((sum, process) => sum + process.rssBytes, 0),
    cpuSeconds: own.reduce((sum, process) => sum + process.cpuSeconds, 0),
  };
}

const pageBytes = 4_096;
const ticksPerSecond = 100;

function readProcess(pid: number): { pid: number; parent: number; rssBytes: number; cpuSeconds: number }[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [
      {
        pid,
        parent: Number(fields[1]),
        // Includes ended children, so that a closed connection's process does not lower the sum.
        cpuSeconds: [11, 12, 13, 14].reduce((sum, nth) => sum + Number(fields[nth]), 0) / ticksPerSecond,
        rssBytes: Number(fields[21]) * pageBytes,
      },
    ];
  } catch {
    return [];
  }
}
