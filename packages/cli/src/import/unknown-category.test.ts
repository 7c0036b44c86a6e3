import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ended } from '../testing/weir.ts';
import { openWorkspace, type Workspace } from '../testing/workspace.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
});
afterAll(() => workspace.remove());

const run = (...args: readonly string[]): Promise<Ended> => workspace.run('labels', ...args);
const address = (n: number): string => `0x${String(n).repeat(40)}`;
const categoriesOf = async (n: number): Promise<string[]> => {
  const { rows } = await workspace.database.pool.query<{ category: string }>('SELECT category FROM chain.labels WHERE address = $1', [
    address(n),
  ]);
  return rows.map(({ category }) => category);
};
const reasonsIn = (file: string): string[] =>
  readFileSync(workspace.path(`${file}.rejected.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).reason as string);

/** Each command is a process, which takes time to start. */
describe('a label category that no score knows', () => {
  test('is refused with the nearest known one, and is imported once a flag says what it means', async () => {
    const file = workspace.write(
      'slip.csv',
      `chain,address,name,category,source\nETH,${address(1)},X,sanctoned,me\nETH,${address(2)},Y,Theft,me\n`,
    );
    const refused = await run('import', file, '--format', 'csv');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'Refused: "sanctoned" is no known category (1 row); the nearest is sanctioned: --map-category "sanctoned"=sanctioned\nKnown are sanctioned,',
    );
    expect(reasonsIn('slip.csv')).toEqual(['category is not known: "sanctoned"; the nearest is sanctioned']);
    expect(await categoriesOf(1)).toEqual([]);
    expect(await categoriesOf(2)).toEqual(['Theft']);
    const mapped = await run('import', file, '--format', 'csv', '--map-category', 'Sanctoned=sanctioned', '--rejected', 'none.jsonl');
    expect({ ...mapped, stderr: '' }).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await categoriesOf(1)).toEqual(['sanctioned']);
    expect(existsSync(workspace.path('none.jsonl'))).toBe(false);
  });

  test('is refused in a TagPack too; what its other words leave unsaid is reported', async () => {
    const tag = (n: number, more: string): string => `  - address: "${address(n)}"\n    label: X\n${more}`;
    const tags = [
      tag(3, '    category: exhange\n'),
      tag(4, '    abuse: sanctoned\n'),
      tag(5, '    category: exchange\n    concepts: [unheard_of]\n    confidence: hearsay\n'),
      tag(6, ''),
      tag(7, '    category: scam\n'),
    ];
    const file = workspace.write('pack.yaml', `title: T\ncurrency: ETH\ntags:\n${tags.join('')}`);
    const { code, stderr } = await run('import', file, '--format', 'tagpack');
    expect(code).toBe(1);
    expect(stderr).toContain('Refused: "exhange" is no known category (1 row); the nearest is exchange');
    expect(stderr).toContain('Words of tags that are not known');
    for (const word of ['abuse sanctoned', 'concepts unheard_of', 'confidence hearsay']) expect(stderr).toContain(`"${word}" (1)`);
    expect(reasonsIn('pack.yaml')).toEqual(['category is not known: "exhange"; the nearest is exchange']);
    expect(await Promise.all([3, 4, 5, 6, 7].map(categoriesOf))).toEqual([[], ['illicit'], ['exchange'], ['ordinary'], ['scam']]);
    const mapped = await run('import', file, '--format', 'tagpack', '--map-category', 'exhange=exchange,sanctoned=sanctioned');
    expect(mapped.code).toBe(0);
    expect(await categoriesOf(3)).toEqual(['exchange']);
    expect(await categoriesOf(4)).toEqual(expect.arrayContaining(['sanctioned']));
  });

  test('is a wrong flag', async () => {
    const file = workspace.write('flags.csv', `chain,address,name,source\nETH,${address(8)},X,me\n`);
    for (const flags of [
      ['--category', 'sanctoned'],
      ['--map-category', 'x=sanctoned'],
    ]) {
      const { code, stderr } = await run('import', file, '--format', 'csv', ...flags);
      expect(code).toBe(2);
      expect(stderr).toContain(`${flags[0]}: there is no category sanctoned; the nearest is sanctioned. Known are sanctioned,`);
    }
    const ofac = await run('import', file, '--format', 'ofac', '--map-category', 'x=theft');
    expect([ofac.code, ofac.stderr]).toEqual([2, expect.stringContaining('--map-category is not for --format ofac')]);
    expect((await run('import', file, '--format', 'csv', '--map-category', 'theft')).code).toBe(2);
  });
});
