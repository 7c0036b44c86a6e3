import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { promisify } from 'node:util';

export interface TestCertificate {
  readonly pem: string;
  readonly pemFile: string;
  /** Certificate and key (PKCS #12). */
  readonly keyStore: string;
  readonly password: string;
  remove(): void;
}

/** Uses Java's keytool, because Node.js cannot make certificates and Kafka needs Java anyway. */
export async function makeCertificate(): Promise<TestCertificate> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-certificate-'));
  const [keyStore, pemFile, password] = [join(folder, 'key.p12'), join(folder, 'certificate.pem'), randomBytes(16).toString('hex')];
  const keytool = (...args: string[]): Promise<unknown> =>
    promisify(execFile)('keytool', [...args, '-alias', 'weir', '-keystore', keyStore, '-storetype', 'PKCS12', '-storepass', password]);
  await keytool('-genkeypair', '-keyalg', 'EC', '-groupname', 'secp256r1', '-dname', 'CN=127.0.0.1', '-ext', 'san=ip:127.0.0.1');
  await keytool('-exportcert', '-rfc', '-file', pemFile);
  return {
    pem: readFileSync(pemFile, 'utf8'),
    pemFile,
    keyStore,
    password,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface TlsGateway {
  readonly port: number;
  close(): Promise<void>;
}

/** With `postgres` it first answers PostgreSQL's TLS request. */
export async function openTlsGateway(
  target: { readonly host: string; readonly port: number },
  certificate: TestCertificate,
  protocol: 'tls' | 'postgres' = 'tls',
): Promise<TlsGateway> {
  const secureContext = createSecureContext({ pfx: readFileSync(certificate.keyStore), passphrase: certificate.password });
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const secure = (): void => {
      const inside = new TLSSocket(socket, { isServer: true, secureContext });
      const to = connect(target);
      sockets.add(socket).add(to);
      for (const [one, other] of [[inside, to] as const, [to, inside] as const]) {
        one.on('error', () => other.destroy());
        one.once('close', () => other.destroy());
        one.pipe(other);
      }
    };
    socket.on('error', () => socket.destroy());
    if (protocol === 'tls') return secure();
    socket.once('data', () => {
      socket.write('S');
      secure();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
