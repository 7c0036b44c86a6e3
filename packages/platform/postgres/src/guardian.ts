import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '@weir/clock';
import type { Identity } from './identity.ts';
import { runningPostmaster, stopPostmaster } from './postmaster.ts';

/** A PostgreSQL server that ends with the process that started it. */
export interface GuardedServer {
  isRunning(): boolean;
  /** Resolves when the server ends, for any reason. */
  readonly ended: Promise<void>;
  /** Fast shutdown; an immediate one after 20 s, SIGKILL after 40 s. */
  stop(): Promise<void>;
}

/**
 * Stops the server when stdin ends, even by SIGKILL of the parent. SIGINT rolls back open transactions, SIGQUIT ends sessions at once. It
 * repeats SIGINT because a starting server ignores it.
 */
const guardian = `
trap '' HUP INT TERM
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
{
  while read -r _; do :; done <&3
  for signal in INT QUIT KILL; do
    seconds=0
    while [ $seconds -lt 20 ] && kill -s $signal $server 2>/dev/null; do
      sleep 1
      seconds=$((seconds + 1))
    done
  done
} &
reader=$!
exec 3<&-
wait $server
code=$?
kill -s KILL $reader
exit $code
`;

/** Starts the server of the folder `cluster`. It writes to `log`, an open file. */
export function launchServer(options: {
  cluster: string;
  program: string;
  args: readonly string[];
  identity: Identity;
  log: number;
  clock: Clock;
}): GuardedServer {
  const { cluster, identity, log, clock } = options;
  // Windows has no shell for the guardian. There, the next start stops a leftover server.
  const isGuarded = process.platform !== 'win32';
  const { program, args, ...as } = isGuarded
    ? identity.command('/bin/sh', ['-c', guardian, 'weir-postgres-guardian', options.program, ...options.args])
    : identity.command(options.program, options.args);
  // Its own session: Ctrl-C must reach Weir first, which then stops PostgreSQL in order.
  const child = spawn(program, args, { ...as, cwd: '/', detached: true, stdio: ['pipe', log, log] });
  // A failed spawn shows as a missing pid; an unheard event would end this process.
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  const isRunning = (): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const ended = untilExit(child).then(async () => {
    // A killed guardian stops nothing. The server still holds the folder, so the one that runs there is ours.
    const orphan = child.signalCode === null ? undefined : runningPostmaster(cluster);
    if (orphan !== undefined) await stopPostmaster(clock, orphan.pid);
  });
  return {
    isRunning,
    ended,
    stop: async () => {
      child.stdin?.end();
      if (!isGuarded && child.pid !== undefined) await stopPostmaster(clock, child.pid, () => !isRunning());
      if (child.pid !== undefined) await ended;
    },
  };
}

function untilExit(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('exit', () => resolve()));
}
