/** A deterministic synthetic chain with realistic degrees. */
export interface PowerLaw {
  readonly seed: number;
  /** The rarest may have no transfer. */
  readonly addresses: number;
}

export interface PowerLawTransfer {
  /** 64 hex digits after 0x. One transfer in eight shares it with the one before. */
  readonly txid: string;
  readonly position: number;
  readonly from: string;
  readonly to: string;
  /** Whole cents; null (unknown) for one in twenty. */
  readonly usd: number | null;
  /** ISO 8601, UTC; never decreasing. */
  readonly time: string;
}

export interface PowerLawLabel {
  readonly address: string;
  readonly name: string;
  readonly category: string;
  readonly confidence: number;
  readonly source: string;
}

/**
 * Zipf's exponent by rank: degrees fall with the power 1 + 1 / 0.7 = 2.4. Of a million addresses the largest is in 3 % of all transfers.
 */
const exponent = 0.7;
/** Exchanges, the largest hubs. */
const serviceShare = 0.0001;
/** Risk labels, of any size. */
const riskShare = 0.005;
const riskCategories = ['sanctioned', 'theft', 'phishing', 'scam', 'darknet', 'mixer', 'gambling', 'risk_exchange', 'bridge'] as const;
const addressesPerEntity = 5;
const startMs = Date.UTC(2024, 0, 1);

/** In order of time. */
export function* powerLawTransfers({ seed, transfers, addresses }: PowerLaw & { readonly transfers: number }): Generator<PowerLawTransfer> {
  if (addresses < 2) throw new RangeError('a transfer needs two addresses');
  const random = mulberry32(seed);
  let atMs = startMs;
  let transaction = -1;
  let position = 0;
  for (let done = 0; done < transfers; done++) {
    if (done > 0 && random() < 1 / 8) position++;
    else {
      transaction++;
      position = 0;
      atMs += Math.floor(random() * 2_000);
    }
    const from = drawRank(random(), addresses);
    const drawn = drawRank(random(), addresses);
    const to = drawn === from ? (from + 1) % addresses : drawn;
    yield {
      txid: `0x${hex(seed, transaction, 8)}`,
      position,
      from: addressAt(seed, from),
      to: addressAt(seed, to),
      usd: random() < 1 / 20 ? null : drawUsd(random),
      time: new Date(atMs).toISOString(),
    };
  }
}

/** The largest are exchanges, and a small share of the others have risk labels of every category. */
export function* powerLawLabels({ seed, addresses }: PowerLaw): Generator<PowerLawLabel> {
  const random = mulberry32(~seed);
  const services = Math.ceil(addresses * serviceShare);
  let risks = 0;
  for (let rank = 0; rank < addresses; rank++) {
    const common = { address: addressAt(seed, rank), confidence: 1, source: 'power-law' };
    if (rank < services) yield { ...common, name: `exchange ${rank + 1}`, category: 'exchange' };
    else if (random() < riskShare) {
      const category = riskCategories[risks % riskCategories.length] ?? 'illicit';
      const entity = Math.floor(risks / riskCategories.length / addressesPerEntity) + 1;
      risks++;
      yield { ...common, name: `${category} ${entity}`, category };
    }
  }
}

/** The inverse distribution function of a density that falls with rank^-exponent. */
function drawRank(uniform: number, addresses: number): number {
  return Math.floor(addresses * uniform ** (1 / (1 - exponent)));
}

/** Log-normal around 300 USD, from cents to millions. */
function drawUsd(random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(Math.round(100 * 300 * Math.exp(2.5 * normal)), 1) / 100;
}

function addressAt(seed: number, rank: number): string {
  return `0x${hex(seed ^ 0x5bd1e995, rank, 5)}`;
}

/** `words` of 8 digits. `scramble` is a bijection, so the first word differs for every `id` below 2^32. */
function hex(seed: number, id: number, words: number): string {
  let digits = '';
  for (let word = 0; word < words; word++) {
    const value = scramble(id ^ scramble(seed + word));
    digits += `${fourDigits[value >>> 16]}${fourDigits[value & 0xffff]}`;
  }
  return digits;
}

/** A table, because these texts took most of the time. */
const fourDigits: readonly string[] = Array.from({ length: 65_536 }, (_, value) => value.toString(16).padStart(4, '0'));

/** The finaliser of MurmurHash3: a bijection of 32-bit numbers. */
function scramble(value: number): number {
  let x = value >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/** Numbers from 0 to below 1, by Tommy Ettinger's generator of that name. */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4_294_967_296;
  };
}
