import type { Engine } from '../engine/engine.ts';
import { has, isStandIn, standIn } from './stand-ins.ts';

export interface Provided {
  readonly standIns: readonly string[];
  readonly missing: readonly string[];
}

const pullLimitMs = 180_000;

/** Provides each image: present, pulled or, in the run's own engine, built as a substitute. */
export async function provideImages(
  engine: Engine,
  images: readonly string[],
  folder: string,
  say: (line: string) => void,
): Promise<Provided> {
  const standIns: string[] = [];
  const missing: string[] = [];
  for (const image of images) {
    if (await has(engine, image)) {
      if (await isStandIn(engine, image)) standIns.push(image);
      continue;
    }
    if (await pull(engine, image)) continue;
    // In a shared engine a public name must keep its public meaning.
    if (!engine.isOwn || !(await standIn(engine, image, folder))) {
      missing.push(image);
      continue;
    }
    standIns.push(image);
    say(`${image}: built to stand in for the public image, which cannot be pulled`);
  }
  return { standIns, missing };
}

async function pull(engine: Engine, image: string): Promise<boolean> {
  return engine.docker(['pull', '--quiet', image], { limitMs: pullLimitMs }).then(
    () => true,
    () => false,
  );
}
