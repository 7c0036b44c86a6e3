import { type ChildProcess, spawn } from 'node:child_process';

/** Python's pseudo-terminal: runs a command in its own session, types the bytes of stdin, shows the command's output. */
const pseudoTerminal = `
import os, pty, select, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
os.write(1, b'session %d\\n' % pid)
while True:
    ready, _, _ = select.select([terminal, 0], [], [])
    if 0 in ready:
        typed = os.read(0, 1024)
        if not typed:
            break
        os.write(terminal, typed)
    if terminal in ready:
        try:
            shown = os.read(terminal, 65536)
        except OSError:
            break
        if not shown:
            break
        os.write(1, shown)
os.close(terminal)
os.waitpid(pid, 0)
`;

export interface Terminal {
  output(): string;
  /** Resolves when the text has been shown. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** A signal to the process group of the command. */
  signalGroup(signal: NodeJS.Signals): void;
  /** Resolves when the command has ended. */
  readonly ended: Promise<void>;
  /** Closes the terminal, which sends SIGHUP to the command. */
  close(): Promise<void>;
}

export function runInTerminal(command: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }): Terminal {
  const child: ChildProcess = spawn('python3', ['-c', pseudoTerminal, ...command], { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  const listeners = new Set<() => void>();
  child.stdin?.on('error', () => undefined);
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    for (const listener of listeners) listener();
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    output: () => output,
    shows: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => void (output.includes(text) && resolve());
        listeners.add(look);
        look();
        void ended.then(() => reject(new Error(`ended before it showed ${JSON.stringify(text)}:\n${output}`)));
      }),
    type: (keys) => void child.stdin?.write(keys),
    signalGroup: (signal) => void process.kill(-Number(/^session (\d+)/.exec(output)?.[1]), signal),
    ended,
    close: async () => {
      child.stdin?.end();
      await ended;
    },
  };
}
