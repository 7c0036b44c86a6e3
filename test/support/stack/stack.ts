import { findDocker } from './engine.ts';
import { startNative } from './native.ts';
import { type Part, type Started, variables } from './parts.ts';

export type Way = 'environment' | 'container' | 'native';

export interface Stack<P extends Part> {
  readonly addresses: Readonly<Record<P, string>>;
  readonly ways: Readonly<Record<P, Way>>;
  stop(): Promise<void>;
}

/**
 * Provides the servers that tests need, each from the first source available:
 * - the environment (`variables`);
 * - a container, if a Docker engine has the image or, outside of CI, can pull it;
 * - a local process.
 * If a part is unavailable it says why and leaves nothing running.
 */
export async function startStack<P extends Part>(parts: readonly P[]): Promise<Stack<P>> {
  const missing = parts.filter((part) => addressOf(part) === undefined);
  const containers = new Set(missing.length === 0 ? [] : await inContainers(missing));
  const starts = await Promise.allSettled(parts.map((part) => start(part, containers.has(part))));
  const started = starts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((each) => each.stop()));
  };
  const failed = starts.find((each) => each.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  const collect = <T>(of: (each: StartedPart<P>) => T): Record<P, T> =>
    Object.fromEntries(started.map((each) => [each.part, of(each)])) as Record<P, T>;
  return { addresses: collect(({ address }) => address), ways: collect(({ way }) => way), stop };
}

interface StartedPart<P extends Part> extends Started {
  readonly part: P;
  readonly way: Way;
}

async function start<P extends Part>(part: P, isContainer: boolean): Promise<StartedPart<P>> {
  const given = addressOf(part);
  if (given !== undefined) return { part, way: 'environment', address: given, stop: async () => undefined };
  const way = isContainer ? 'container' : 'native';
  const started = isContainer ? await (await import('./containers.ts')).startContainer(part) : await startNative(part);
  process.env[variables[part]] = started.address;
  return {
    part,
    way,
    address: started.address,
    stop: async () => {
      delete process.env[variables[part]];
      await started.stop();
    },
  };
}

function addressOf(part: Part): string | undefined {
  return process.env[variables[part]] || undefined;
}

async function inContainers<P extends Part>(parts: readonly P[]): Promise<P[]> {
  const engine = await findDocker();
  if (engine === undefined) return [];
  // Loading takes half a second, and most machines have no engine.
  const { imageOf } = await import('./containers.ts');
  const isCi = Boolean(process.env.CI);
  // Ryuk would be one more image to pull.
  if (isCi) process.env.TESTCONTAINERS_RYUK_DISABLED = 'true';
  const present = await Promise.all(
    parts.map(async (part) => (await engine.has(imageOf(part))) || (!isCi && (await engine.pull(imageOf(part))))),
  );
  return parts.filter((_, at) => present[at]);
}
