import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** A connection to the database that a test can cut, as a network failure would. */
export interface Line {
  /** The database's URL through this connection. */
  readonly url: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

export async function openLine(databaseUrl: string): Promise<Line> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let server: Server;
  const listen = (port: number): Promise<number> =>
    new Promise((resolve) => {
      server = createServer((near) => {
        const far = createConnection({ host: target.hostname, port: Number(target.port) });
        for (const socket of [near, far]) {
          sockets.add(socket);
          socket.on('error', () => socket.destroy());
          socket.on('close', () => sockets.delete(socket));
        }
        near.pipe(far).pipe(near);
      });
      server.listen(port, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
  const port = await listen(0);
  return {
    url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).toString(),
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
    mend: async () => void (await listen(port)),
  };
}
