import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Theft } from './background.ts';
import type { AddressLabel, Movement } from './movements.ts';

/** For the Ronin file, which has no USD: about the price of ETH in April 2022. Only the scale depends on it. */
const roninUsdPerEther = 3_000;
const roninThief = '0x098b716b8aaf21512996dc57eb0615e2383e2f96';

/** A theft of the MFTracer dataset: transfers, addresses of the thieves, and where the trail ends at services. */
export function mftracerTheft(folder: string, name: string): Theft {
  const place = join(folder, 'transfers', `mftracer_${name}`);
  const thieves = wordsOf(join(place, 'source addresses.csv'));
  const services = wordsOf(join(place, 'terminal addresses.csv'));
  const movements = rowsOf(join(place, `${name}.csv`)).map(
    ([time = '', , tx = '', from = '', , to = '', , usd = ''], position): Movement => ({
      at: Date.parse(`${time.replace(' ', 'T')}Z`),
      tx,
      position,
      from,
      to,
      usd: Number(usd),
      coin: 'ETH',
    }),
  );
  return theftOf(name, movements, thieves, services);
}

/** The Ronin theft: only what the thief paid and was paid, and the next step. */
export function roninTheft(folder: string): Theft {
  const movements = rowsOf(join(folder, 'transfers', 'ronin_lazarus_dune.csv')).map(
    ([time = '', from = '', to = '', ether = ''], position): Movement => ({
      at: Date.parse(time),
      tx: `row ${position}`,
      position,
      from: from.replace('\\x', '0x'),
      to: to.replace('\\x', '0x'),
      usd: Number(ether) * roninUsdPerEther,
      coin: 'ETH',
    }),
  );
  const theft = theftOf('Ronin', movements, [roninThief], []);
  // Most of the file's addresses only paid the thief.
  const receivers = new Set(movements.filter(({ usd }) => usd > 0).map(({ to }) => to));
  return { ...theft, isSimple: true, launderers: theft.launderers.filter((address) => receivers.has(address)) };
}

function theftOf(name: string, movements: readonly Movement[], thieves: readonly string[], services: readonly string[]): Theft {
  const label = (address: string, category: string): AddressLabel => ({ address, category, name: category, confidence: 1, source: name });
  const known = new Set([...thieves, ...services]);
  const addresses = new Set(movements.flatMap(({ from, to }) => [from, to]));
  return {
    name,
    chain: 'ethereum',
    movements,
    labels: [...thieves.map((address) => label(address, 'theft')), ...services.map((address) => label(address, 'exchange'))],
    launderers: [...addresses].filter((address) => !known.has(address)),
  };
}

function rowsOf(file: string): string[][] {
  const [, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => line.trim().split(','));
}

function wordsOf(file: string): string[] {
  return readFileSync(file, 'utf8').trim().split(/\s+/);
}
