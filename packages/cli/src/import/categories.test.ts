import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from '../testing/workspace.ts';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
});
afterAll(() => workspace.remove());

async function imported(name: string, text: string, format: string): Promise<string> {
  workspace.write(name, text);
  const { code, stderr } = await workspace.run('labels', 'import', name, '--format', format);
  expect(code).toBe(0);
  return stderr;
}
const address = (n: number): string => `0x${String(n).repeat(40)}`;

test('an import of tags says by category how it understood them, and which listings are only copied', async () => {
  const tag = (n: number, category: string): string => `  - address: "${address(n)}"\n    label: X\n    category: ${category}\n`;
  const shops = `title: Shops\ncurrency: ETH\ntags:\n${tag(1, 'market')}${tag(2, 'market')}${tag(3, 'gambling')}`;
  expect(await imported('shops.yaml', shops, 'tagpack')).toContain(
    'Read by category: 2 service, 1 gambling.\nWords of tags counted as another: market as service (2). To change one: --map-category WORD=CATEGORY.\n',
  );
  const concepts = `title: Mixers\ncurrency: ETH\ntags:\n  - { address: "${address(7)}", label: X, concepts: [tumbler] }\n`;
  expect(await imported('concepts.yaml', concepts, 'tagpack')).toContain('counted as another: tumbler as mixer (1).');
  const copies = `title: Listed\ncurrency: ETH\ntags:\n${tag(4, 'user')}${tag(5, 'user')}`.replaceAll(': X', ': On the OFAC list');
  expect(await imported('copies.yaml', copies, 'tagpack')).toContain(
    '2 rows copy a listing of OFAC, whose own list is not imported: those that have ended still count as sanctioned.\n',
  );
  const columns = 'address,chain,listed_asset,entity,sdn_uid,entity_designated,removed_on';
  await imported('ofac.csv', `${columns}\n${address(4)},ETH,,Somebody,1,,2025-03-22\n`, 'ofac');
  const again = copies.replace(address(5), address(6));
  expect(await imported('again.yaml', again, 'tagpack')).toContain(
    '2 rows copy a listing of OFAC; each ends when the listing in its own list does.\n',
  );
  const { rows } = await workspace.database.pool.query(
    `SELECT DISTINCT address, valid_to IS NULL AS stays FROM chain.labels WHERE category = 'sanctioned' AND chain = 'ethereum' AND source LIKE 'GraphSense%' ORDER BY 1`,
  );
  expect(rows).toEqual([
    { address: address(4), stays: false },
    { address: address(5), stays: true },
    { address: address(6), stays: true },
  ]);
});
