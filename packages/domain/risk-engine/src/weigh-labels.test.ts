import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Label, SourceKind } from './store.ts';
import { weighLabels } from './weigh-labels.ts';
import { categoryNames, weightOf } from './weights.ts';

const label = (category: string, source_kind: SourceKind, confidence: number, source: string = source_kind): Label => ({
  name: category,
  category,
  confidence,
  source,
  source_kind,
});

const kinds: readonly SourceKind[] = ['authority', 'owner', 'curated', 'crawl'];
const accuses = ({ category }: Label): boolean => weightOf(category).risk_type !== undefined && weightOf(category).service !== true;
const crimes = categoryNames.filter((category) => accuses(label(category, 'crawl', 1)));

const someLabel = fc
  .record({
    category: fc.constantFrom(...categoryNames),
    kind: fc.constantFrom(...kinds),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    source: fc.constantFrom('a', 'b', 'c', 'd'),
  })
  .map(({ category, kind, confidence, source }) => label(category, kind, confidence, source));
const someLabels = fc.array(someLabel, { maxLength: 8 });

const threeGood = [label('exchange', 'owner', 0.9), label('exchange', 'curated', 0.9, 'one'), label('service', 'curated', 0.9, 'another')];

describe('labels are weighed', () => {
  test('an exchange that several good sources know stands against one crawl, and the contradiction names both', () => {
    const { labels, contradiction } = weighLabels([...threeGood, label('theft', 'crawl', 1)]);
    expect(labels).toEqual(threeGood);
    expect(contradiction).toEqual({
      standing: 'service',
      service: { probability: 0.9886, categories: ['exchange', 'service'], sources: ['another', 'one', 'owner'] },
      accusation: { probability: 0.4, categories: ['theft'], sources: ['crawl'] },
    });
  });

  test('an accusation as probable as the service stands, and the service does not vouch', () => {
    const accusation = label('theft', 'curated', 0.9, 'one');
    const { labels, contradiction } = weighLabels([label('exchange', 'curated', 0.9, 'another'), accusation]);
    expect(labels).toEqual([accusation]);
    expect(contradiction?.standing).toBe('accusation');
  });

  test('a suspected service contradicts nobody, and a mixer stays a mixer', () => {
    for (const category of ['exchange', 'mixer'])
      expect(weighLabels([label(category, 'owner', 0.4), label('theft', 'crawl', 0.1)]).contradiction).toBeUndefined();
    const mixer = [label('mixer', 'curated', 0.9), label('sanctioned', 'authority', 1)];
    expect(weighLabels(mixer)).toMatchObject({ labels: mixer, contradiction: { standing: 'accusation' } });
    expect(weighLabels([label('mixer', 'curated', 0.9), label('exchange', 'curated', 0.9)]).contradiction).toBeUndefined();
  });

  test('labels of one kind, or of ordinary owners, are left as they are', () => {
    for (const labels of [[], threeGood, [label('theft', 'crawl', 1)], [label('ordinary', 'owner', 1), label('theft', 'crawl', 1)]])
      expect(weighLabels(labels)).toEqual({ labels, contradiction: undefined });
  });
});

describe('properties of the weighing', () => {
  test('the order of the labels does not matter', () => {
    fc.assert(
      fc.property(
        someLabels.chain((labels) => fc.tuple(fc.constant(labels), fc.shuffledSubarray(labels, { minLength: labels.length }))),
        ([labels, shuffled]) => {
          const [one, other] = [weighLabels(labels), weighLabels(shuffled)];
          expect(new Set(other.labels)).toEqual(new Set(one.labels));
          expect(other.contradiction).toEqual(one.contradiction);
        },
      ),
    );
  });

  test('a source counts once, however often it repeats itself', () => {
    fc.assert(
      fc.property(someLabels, fc.integer({ min: 2, max: 20 }), (labels, times) => {
        const repeated = Array.from({ length: times }, () => labels).flat();
        expect(weighLabels(repeated).contradiction).toEqual(weighLabels(labels).contradiction);
      }),
    );
  });

  test('another accusation never takes one away that stood', () => {
    const accusation = someLabel.filter(accuses);
    fc.assert(
      fc.property(someLabels, accusation, (labels, another) => {
        const [before, after] = [weighLabels(labels), weighLabels([...labels, another])];
        if (before.contradiction?.standing === 'accusation') expect(after.contradiction?.standing).toBe('accusation');
        if (before.labels.some(accuses) && before.contradiction !== undefined) expect(after.labels).toEqual([...before.labels, another]);
      }),
    );
  });

  test('a sanctions authority always wins', () => {
    fc.assert(
      fc.property(someLabels, fc.double({ min: 0, max: 1, noNaN: true }), (labels, confidence) => {
        const listing = label('sanctioned', 'authority', confidence, 'list');
        expect(weighLabels([...labels, listing]).labels).toContain(listing);
      }),
    );
  });

  test('one crawl overturns no service that two good sources know, whatever it says and how sure it is', () => {
    const good = fc.record({
      kind: fc.constantFrom<SourceKind>('owner', 'curated'),
      confidence: fc.double({ min: 0.5, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(good, good, fc.constantFrom(...crimes), fc.double({ min: 0, max: 1, noNaN: true }), (one, two, crime, confidence) => {
        const services = [label('exchange', one.kind, one.confidence, 'one'), label('exchange', two.kind, two.confidence, 'two')];
        expect(weighLabels([...services, label(crime, 'crawl', confidence)]).labels).toEqual(services);
      }),
    );
  });

  test('without accusation or service, or with one contradiction, labels are kept or dropped whole', () => {
    fc.assert(
      fc.property(someLabels, (labels) => {
        const { labels: kept, contradiction } = weighLabels(labels);
        const dropped = labels.filter((one) => !kept.includes(one));
        if (contradiction === undefined) expect(dropped).toEqual([]);
        else expect(kept.some(accuses)).toBe(contradiction.standing === 'accusation');
        expect(dropped.every((one) => accuses(one) === (contradiction?.standing === 'service'))).toBe(true);
      }),
    );
  });
});
