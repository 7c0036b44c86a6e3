import { type IncomingMessage, type RequestOptions, request } from 'node:http';

export interface DockerEngine {
  has(image: string): Promise<boolean>;
  pull(image: string): Promise<boolean>;
}

/** The limit skips an engine that hangs; without one the socket is missing and the call fails at once. */
const askLimitMs = 2_000;
const pullLimitMs = 300_000;

/** The engine of DOCKER_HOST (unix:// or tcp://), else of the usual socket. TLS and ssh are not supported. */
export async function findDocker(): Promise<DockerEngine | undefined> {
  const place = placeOf(process.env.DOCKER_HOST || 'unix:///var/run/docker.sock');
  if (place === undefined || (await ask(place, 'GET', '/_ping', askLimitMs)) !== 200) return undefined;
  const has = async (image: string): Promise<boolean> => (await ask(place, 'GET', `/images/${image}/json`, askLimitMs)) === 200;
  return {
    has,
    pull: async (image) => {
      const [fromImage = '', tag = 'latest'] = image.split(':');
      await ask(place, 'POST', `/images/create?${new URLSearchParams({ fromImage, tag }).toString()}`, pullLimitMs);
      return has(image);
    },
  };
}

function placeOf(host: string): RequestOptions | undefined {
  if (host.startsWith('unix://')) return { socketPath: host.slice('unix://'.length) };
  if (!URL.canParse(host)) return undefined;
  const { protocol, hostname, port } = new URL(host);
  return protocol === 'tcp:' || protocol === 'http:' ? { hostname, port: port || 2375 } : undefined;
}

/** Undefined without a complete response within the limit. */
function ask(place: RequestOptions, method: string, path: string, limitMs: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request({ ...place, method, path, signal: AbortSignal.timeout(limitMs) }, (answer: IncomingMessage) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode));
      answer.once('error', () => resolve(undefined));
    });
    sent.once('error', () => resolve(undefined));
    sent.end();
  });
}
