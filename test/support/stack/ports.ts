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

/** A free port whose number plus 100 is free too. */
export async function freePortPair(): Promise<number> {
  for (;;) {
    const port = await listenOnce(0);
    if (port !== undefined && port < 65_400 && (await listenOnce(port + 100)) !== undefined) return port;
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
