import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

/** Undefined if the port is taken; 0 selects any free one. */
export function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const { port: got } = server.address() as { port: number };
      server.close(() => resolve(got));
    });
  });
}

export async function freePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === undefined) throw new Error('this machine has no free port');
  return port;
}

/** Below the ports that Linux gives to clients' connections, so that none takes one before it is listened on. */
const listening = { from: 12_000, to: 32_000 };
/** Of an installation: its API, three further processes, the risk API. */
const offsets = [0, 1, 2, 3, 100];

/** The first of an installation's ports, all free. */
export async function freeInstallationPort(): Promise<number> {
  for (;;) {
    const port = randomInt(listening.from, listening.to);
    const free = await Promise.all(offsets.map((offset) => listenOnce(port + offset)));
    if (!free.includes(undefined)) return port;
  }
}

export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1_000 });
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('timeout', () => done(false));
  });
}
