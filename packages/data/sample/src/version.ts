/** SHA-256 (hex) over labels.csv, transfers.csv and deposits.csv, in this order. A test compares it with the files. */
export const sampleVersion = '96805f2a58f6b346868e4300bba5c6681af207ac83814e62eacb1a2f1a8f04fc';
