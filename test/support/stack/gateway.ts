import { connect, createServer, type Server, type Socket } from 'node:net';

/** A port that can be shut while the server behind it keeps its state. */
export interface Gateway {
  readonly port: number;
  away(): Promise<void>;
  back(): Promise<void>;
  close(): Promise<void>;
}

/** `target` is asked for each connection. */
export async function openGateway(target: () => { host: string; port: number }): Promise<Gateway> {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  const pass = (from: Socket): void => {
    const to = connect(target());
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  };
  const open = async (): Promise<void> => {
    const opened = createServer(pass);
    await new Promise<void>((resolve, reject) => opened.once('error', reject).listen(port, '127.0.0.1', resolve));
    ({ port } = opened.address() as { port: number });
    server = opened;
  };
  const shut = async (): Promise<void> => {
    const shutting = server;
    server = undefined;
    const closed = new Promise<void>((resolve) => (shutting === undefined ? resolve() : shutting.close(() => resolve())));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await open();
  return { port, away: shut, back: async () => (server === undefined ? open() : undefined), close: shut };
}
