import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findCoin } from '@weir/chains';
import { parse } from 'csv-parse/sync';

/** A row of packages/data/sample/data, which names its source. */
type Row = Readonly<Record<string, string>>;

/** The folder of the whole public files, for `npm run test:data`. */
const wholeFiles = process.env['WEIR_TEST_DATA'];

/** The path of a public file. `npm run test:data` reads the whole file; other runs read a small one generated from the sample. */
export function publicFile(...path: readonly string[]): string {
  return join(wholeFiles ?? writtenFiles(), ...path);
}

/** Selects the expectation for whole or small files. */
export function ofData<T>(expected: { whole: T; small: T }): T {
  return wholeFiles === undefined ? expected.small : expected.whole;
}

export function sampleAddresses(chain: string): string[] {
  const columns = ['address', 'from_address', 'to_address'];
  const rows = [...sample('labels'), ...sample('transfers')].filter((row) => row['chain'] === chain);
  return [...new Set(rows.flatMap((row) => columns.map((column) => row[column] ?? '')).filter((address) => address !== ''))];
}

/** One for all test files of a worker; it goes with the folder of the run. */
let folder: string | undefined;

function writtenFiles(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), 'weir-public-files-'));
  for (const [path, content] of Object.entries({ ...labelFiles(), ...ethereumBlocks(), ...tronBlock(), ...otherTransfers(), ...prices })) {
    mkdirSync(dirname(join(made, path)), { recursive: true });
    writeFileSync(join(made, path), content);
  }
  folder = made;
  return made;
}

function sample(name: 'labels' | 'transfers'): Row[] {
  const file = join(import.meta.dirname, '..', '..', '..', 'sample', 'data', `${name}.csv`);
  return parse(readFileSync(file), { columns: true });
}

const from =
  (source: string) =>
  (row: Row): boolean =>
    row['source']?.startsWith(source) === true;

const csv = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [columns, ...rows]
    .map((cells) => `${cells.map((cell) => (/[",]/.test(String(cell)) ? JSON.stringify(cell) : String(cell))).join(',')}\n`)
    .join('');

/** These files have numbers above 2^53, which JSON.stringify would round. */
const jsonLines = (records: readonly object[]): string =>
  records
    .map(
      (record) =>
        `${JSON.stringify(record, (_, value) => (typeof value === 'bigint' ? `#${value}#` : value)).replaceAll(/"#(\d+)#"/g, '$1')}\n`,
    )
    .join('');

function units(row: Row): bigint {
  const decimals = findCoin(row['coin'] ?? '')?.decimals ?? 0;
  const [whole = '', fraction = ''] = (row['amount'] ?? '').split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

const seconds = (row: { readonly time?: string }): number => Date.parse(row.time ?? '') / 1_000;

function labelFiles(): Record<string, string> {
  const labels = sample('labels');
  const tickers: Record<string, string> = { bitcoin: 'BTC', ethereum: 'ETH', tron: 'TRX' };
  const listed = labels.filter(from('OFAC')).map((row) => {
    const uid = /SDN (\d+)/.exec(row['source'] ?? '')?.[1] ?? '';
    // The list omits the designation of a removed entity.
    const designated = row['valid_to'] === '' ? row['valid_from'] : '';
    return [checksummed(row), tickers[row['chain'] ?? ''], '', row['name'], '', uid, designated, '', row['valid_to']];
  });
  // The address of the list's first row fails its checksum. Synthetic: an address of an unknown chain.
  const unusable = [
    ['bc1qe7cjq79qw8nf7zc6mvq7vqlwy9phyqx8m5wqz4', 'BTC', '', '', '', '', '', '2024-12-28', '2024-12-29'],
    ['none', 'OTHER', 'XMR', 'Somebody', '', '1', '', '', ''],
  ];
  const abuses: Record<string, string> = {
    theft: 'service_hack',
    ransom: 'ransomware',
    phishing: 'phishing',
    scam: 'scam',
    darknet: 'dark_web',
  };
  const categories: Record<string, string> = { mixer: 'mixing_service', bridge: 'defi_bridge', ordinary: 'miner' };
  const tags = labels.filter(from('graphsense-tagpacks')).map((row) => {
    const [abuse, category] = [abuses[row['category'] ?? ''] ?? '', categories[row['category'] ?? ''] ?? row['category']];
    // The wallet of a robbed exchange is the thief's.
    return [
      row['address'],
      tickers[row['chain'] ?? ''] ?? '',
      row['name'],
      abuse === '' ? category : 'exchange',
      abuse,
      '',
      row['confidence'] === '0.95' ? 'authority_data' : 'forensic',
      '',
      row['source']?.replace(/^graphsense-tagpacks \(MIT\): /, ''),
      '',
    ];
  });
  const exchanges = labels.filter(from('DefiLlama')).map((row) => [row['name'], row['chain'], row['address']]);
  const bridges = labels.filter(from('npm')).map((row) => [row['address'], row['chain'], row['name'], row['category'], row['source']]);
  return {
    'labels/ofac.csv': csv(
      ['address', 'chain', 'listed_asset', 'entity', 'program', 'sdn_uid', 'entity_designated', 'address_first_seen', 'removed_on'],
      [...unusable, ...listed],
    ),
    'labels/graphsense_core.csv': csv(
      ['address', 'currency', 'label', 'category', 'abuse', 'actor', 'confidence', 'lastmod', 'source', 'tagpack'],
      tags,
    ),
    // Synthetic: a wallet of an unknown chain.
    'labels/defillama_cex.csv': csv(['entity', 'chain', 'address'], [...exchanges, ['nobody', 'solana', 'none']]),
    'labels/bridges_defi_npm.csv': csv(
      ['address', 'chain', 'label', 'class', 'source'],
      [...bridges, ['0x1', 'zksync', 'none', 'bridge', 'none']],
    ),
  };
}

/** The list has the Ronin thief's address with its checksum, the sample in lower case. */
const checksummed = (row: Row): string =>
  row['address'] === '0x098b716b8aaf21512996dc57eb0615e2383e2f96' ? '0x098B716B8Aaf21512996dC57EB0615e2383E2f96' : (row['address'] ?? '');

const transferTopic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const approvalTopic = '8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';
const word = (hex: string): string => hex.replace(/^0x/, '').padStart(64, '0');

interface TokenMove {
  readonly txid: string;
  readonly position: string;
  readonly from_address: string;
  readonly to_address: string;
  readonly contract: string;
  readonly value: bigint;
  readonly time: string;
}

/** Token transfers of these blocks whose coins the sample lacks. Source of each: ethereum-etl (MIT). */
const otherTokens: readonly TokenMove[] = [
  {
    txid: '0xeb107a40ba73a50c79a9f2026e902d758d1c5e5e211f7a7db1b294f88f118dd0',
    position: '2',
    from_address: '0x7054b0f980a7eb5b3a6b3446f3c947d80162775c',
    to_address: '0x6b75d8af000000e20b7a7ddf000ba900b4009a80',
    contract: '0x1ce270557c1f68cfb577b856766310bf8b47fd9c',
    value: 150188698577042438264952193024n,
  },
  {
    txid: '0xf9ce089241db57d1fd65743b14f60f36e065ec27f7ad1bd7a45b8c990f87b64e',
    position: '106',
    from_address: '0x0000000000000000000000000000000000000000',
    to_address: '0x3813ba8de772451b5459559011540f5bfc19432d',
    contract: '0xb5f75c61052cd174c43b4187ca9333a5300d765f',
    value: 894n,
  },
  {
    txid: '0xfae8be051226c8a96c7114e0eaf5bf2aab9ae11adbe1597b5be1a996d26151ee',
    position: '192',
    from_address: '0x2796317b0ff8538f253012862c06787adfb8ceb6',
    to_address: '0x0000000000000000000000000000000000000000',
    contract: '0x1b84765de8b7566e4ceaf4d0fd3c5af52d3dde4f',
    value: 1860100720199467120293n,
  },
].map((row) => ({ ...row, time: '2023-05-02T12:19:59Z' }));

function tokenMove(row: Row): TokenMove {
  const { txid = '', position = '', from_address = '', to_address = '', time = '' } = row;
  return { txid, position, from_address, to_address, contract: findCoin(row['coin'] ?? '')?.contract ?? '', value: units(row), time };
}

/** Ethereum's blocks 17173049 and 17173050 as exported by ethereum-etl, with the sample's transfers. */
function ethereumBlocks(): Record<string, string> {
  const blocks = [
    {
      type: 'block',
      number: 17_173_049,
      hash: '0xaa5ab9bb22d8020d438496a7edb4eff508b1c5128b0dc01fdecf57f96aac1bb3',
      timestamp: 1_683_029_999,
    },
    { type: 'block', number: 17_173_050, hash: `0x${'b'.repeat(64)}`, timestamp: 1_683_030_011 },
  ];
  const blockOf = (row: { readonly time?: string }): object => {
    const block = blocks.find(({ timestamp }) => timestamp === seconds(row));
    return { block_number: block?.number, block_timestamp: block?.timestamp, block_hash: block?.hash };
  };
  const rows = sample('transfers').filter(from('ethereum-etl'));
  const paid = rows.filter((row) => row['coin'] === 'ETH');
  const sampleTokens = rows.filter((row) => row['coin'] !== 'ETH').map(tokenMove);
  // Synthetic: a transfer of nothing.
  const nothing = { ...sampleTokens[0], position: '4', value: 0n } as TokenMove;
  const tokens = [...sampleTokens, ...otherTokens, nothing].toSorted(
    (one, two) => seconds(one) - seconds(two) || Number(one.position) - Number(two.position),
  );
  const paidIds = new Set(paid.map((row) => row['txid']));
  const calls = [...Map.groupBy(tokens, ({ txid }) => txid)].filter(([txid]) => !paidIds.has(txid)).flatMap(([, [first]]) => first ?? []);
  const ofNoValue = calls.map(({ txid, from_address, to_address, time }) => ({
    txid,
    from_address,
    to_address,
    time,
    coin: 'ETH',
    amount: '0',
  }));
  // Synthetic: two failed transactions, one with a value.
  const failed = ['d', 'e'].map((digit, at) => ({ ...paid[0], txid: `0x${digit.repeat(64)}`, amount: String(at), status: '0' }));
  const all: Row[] = [...paid, ...ofNoValue, ...failed];
  const transactions = all
    .toSorted((one, two) => seconds(one) - seconds(two))
    .map((row, index) => ({
      type: 'transaction',
      hash: row['txid'],
      transaction_index: index,
      from_address: row['from_address'],
      to_address: row['to_address'],
      value: units(row),
      ...blockOf(row),
      receipt_contract_address: null,
      receipt_status: Number(row['status'] ?? 1),
    }));
  const moves = tokens.map((row) => ({ transaction_hash: row.txid, log_index: Number(row.position) - 1, ...blockOf(row) }));
  const logs = tokens.map((row, at) => ({
    type: 'log',
    ...moves[at],
    address: row.contract,
    data: `0x${word(row.value.toString(16))}`,
    topics: [transferTopic, word(row.from_address), word(row.to_address)].map((topic) => `0x${topic}`),
  }));
  // Synthetic: an approval, which moves nothing.
  const approval = { ...logs[0], log_index: 2, topics: [`0x${approvalTopic}`, ...(logs[0]?.topics.slice(1) ?? [])] };
  const columns = [
    'hash',
    'block_hash',
    'block_number',
    'transaction_index',
    'from_address',
    'to_address',
    'value',
    'block_timestamp',
  ] as const;
  const path = (name: string): string => `transfers/eth_blocks_17173049_17173050/${name}`;
  return {
    [path('blocks.json')]: jsonLines(blocks),
    [path('transactions.json')]: jsonLines(transactions),
    [path('transactions.csv')]: csv(
      columns,
      transactions.map((each) => columns.map((column) => (each as Record<string, unknown>)[column])),
    ),
    [path('logs.json')]: jsonLines([...logs, approval]),
    [path('token_transfers.json')]: jsonLines(
      tokens.map(({ contract: token_address, from_address, to_address, value }, at) => ({
        type: 'token_transfer',
        token_address,
        from_address,
        to_address,
        value,
        ...moves[at],
      })),
    ),
  };
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A TRON address as 20 bytes in hex, as tron-etl writes it in transactions and logs. */
function tronHex(address = ''): string {
  const number = Array.from(address).reduce((sum, character) => sum * 58n + BigInt(alphabet.indexOf(character)), 0n);
  return number.toString(16).padStart(50, '0').slice(2, 42);
}

/** TRON's block 50000011 as exported by tron-etl, with the sample's transfers. */
function tronBlock(): Record<string, string> {
  const rows = sample('transfers').filter((row) => row['chain'] === 'tron' && from('graphsense-lib')(row));
  const paid = rows.filter((row) => row['coin'] === 'TRX');
  const tokens = rows.filter((row) => row['coin'] !== 'TRX').toSorted((one, two) => Number(one['position']) - Number(two['position']));
  const block = { block_timestamp: 1_680_612_831, block_id: 50_000_011 };
  const transaction = (row: Row | undefined, more: object = {}): object => ({
    tx_hash: row?.['txid'],
    from_address: tronHex(row?.['from_address']),
    to_address: tronHex(row?.['to_address']),
    value: row === undefined ? 0n : units(row),
    transaction_type: 1,
    receipt_status: 1,
    ...block,
    ...more,
  });
  const log = (row: Row | undefined, more: object = {}): object => ({
    log_index: Number(row?.['position']) - 1,
    address: tronHex(findCoin(row?.['coin'] ?? '')?.contract),
    data: word((row === undefined ? 0n : units(row)).toString(16)),
    topics: [transferTopic, word(tronHex(row?.['from_address'])), word(tronHex(row?.['to_address']))],
    tx_hash: row?.['txid'],
    block_id: 50_000_011,
    ...more,
  });
  const line = (row: Row): readonly unknown[] => [
    50_000_011,
    1_680_612_831,
    row['txid'],
    row['coin'] === 'TRX' ? '' : Number(row['position']) - 1,
    row['from_address'],
    row['to_address'],
    findCoin(row['coin'] ?? '')?.contract ?? '',
    units(row),
    1,
  ];
  // Synthetic: a vote, a call of no value, an approval, a reward.
  const made = 'f'.repeat(64);
  return {
    'transfers/tron_block_50000011_transactions.jsonl': jsonLines([
      transaction(paid[0], { tx_hash: made, transaction_type: 4 }),
      ...paid.map((row) => transaction(row)),
      ...tokens.slice(0, 1).map((row) => transaction(row, { value: 0n, transaction_type: 31 })),
    ]),
    'transfers/tron_block_50000011_logs.jsonl': jsonLines([
      ...tokens.map((row) => log(row)),
      log(tokens[0], { log_index: 900, topics: [approvalTopic] }),
    ]),
    'transfers/tron_block_50000011_transfers.csv': csv(
      [
        'block_number',
        'block_timestamp',
        'transaction_hash',
        'log_index',
        'from_address',
        'to_address',
        'token_address',
        'value',
        'status',
      ],
      [...[...paid, ...tokens].map(line), [50_000_011, 1_680_612_831, made, '', '', paid[0]?.['to_address'], '', 5, 1]],
    ),
  };
}

function otherTransfers(): Record<string, string> {
  const transfers = sample('transfers');
  const traced = (name: string): string =>
    csv(
      ['Timestamp', 'Block', 'Tx_hash', 'From', 'From_label', 'To', 'To_label', 'Value_in_USD'],
      transfers
        .filter(from(`MFTracer (MIT) ${name}`))
        .map((row) => [
          row['time']?.replace('T', ' ').replace('Z', ''),
          1,
          row['txid'],
          row['from_address'],
          '',
          row['to_address'],
          '',
          row['usd_value'],
        ]),
    );
  const escaped = (address = ''): string => address.replace('0x', '\\x');
  const ronin = transfers
    .filter(from('dspytdao'))
    .map((row) => [row['time']?.replace('Z', '+00:00'), escaped(row['from_address']), escaped(row['to_address']), row['amount']]);
  return {
    'transfers/mftracer_LIFI/LIFI.csv': traced('LIFI'),
    'transfers/mftracer_TxPhish/TxPhish.csv': traced('TxPhish'),
    // Synthetic: a transfer of nothing.
    'transfers/ronin_lazarus_dune.csv': csv(
      ['block_time', 'from', 'to', 'total_eth'],
      [...ronin, ...ronin.slice(0, 1).map(([time, sender, receiver]) => [time, sender, receiver, '0.0'])],
    ),
    'transfers/btc_block_300025.jsonl': jsonLines(
      bitcoinBlock(transfers.filter((row) => row['chain'] === 'bitcoin' && from('bcoin')(row))),
    ),
  };
}

/** Part of Bitcoin's block 300025 as exported by bitcoin-etl. The sample has one input address per transaction; the fees are synthetic. */
function bitcoinBlock(rows: readonly Row[]): object[] {
  const block = { block_number: 300_025, block_timestamp: 1_399_713_634 };
  const fee = 10_000;
  const paid = [...Map.groupBy(rows, (row) => row['txid'])].map(([hash, outputs]) => {
    const sum = outputs.reduce((total, row) => total + Number(units(row)), 0);
    return {
      hash,
      ...block,
      is_coinbase: false,
      inputs: [{ index: 0, addresses: [outputs[0]?.['from_address']], value: sum + fee, type: 'p2pkh' }],
      outputs: outputs.map((row, index) => ({ index, addresses: [row['to_address']], value: Number(units(row)), type: 'p2pkh' })),
    };
  });
  const reward = [{ index: 0, addresses: ['1KFHE7w8BhaENAswwryaoccDb6qcT6DbYY'], value: 2_500_000_000 + paid.length * fee, type: 'p2pkh' }];
  const hash = '13055be6d6784afa78ed08454651e4c81a03f96297b32f71992ef07e462b97f3';
  return [{ hash, ...block, is_coinbase: true, inputs: [], outputs: reward }, ...paid];
}

/** Source of each: graphsense-lib (MIT). */
const prices = {
  'prices/trx_daily_usd_eur.csv': 'date,usd,eur\n2017-09-13,0.00198764,0.0016592704\n',
  'prices/btc_daily_usd_eur_2010-2022.csv': 'date,usd,eur\n2010-10-17,0.102,0.0727\n2014-05-10,452.7108,329.032\n',
};
