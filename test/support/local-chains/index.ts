/**
 * Local chains for real settlements, and a facilitator for them. All run on loopback and end with the test.
 *
 *   const evm = await startEvmChain();            // anvil as Base (eip155:8453), Circle's own USDC code at USDC's address
 *   const solana = await startSolanaChain();      // LiteSVM as Solana's mainnet, behind its JSON-RPC
 *   const facilitator = await startFacilitator({ evm, solana });   // x402's own, over HTTP: facilitator.url
 *   const payer = newEvmWallet();                 // or await newSolanaWallet(); keys are made at run time
 *   await evm.fund(payer.address, 5_000_000n);    // micro-USDC: 5 USDC
 *   await evm.balanceOf(payer.address);           // 5000000n
 *   facilitator.fault('settle', { kind: 'status', status: 500 });  // the next settle; see Fault
 *   await facilitator.close(); await solana.close(); await evm.close();
 *
 * A receiver on Solana needs a token account: `solana.fund(receiver, 0n)` opens it.
 */
export { anvilClient, patientHttp } from './client.ts';
export { type EvmChain, startEvmChain } from './evm.ts';
export { type Facilitator, type FacilitatorCall, type Fault, type Held, startFacilitator } from './facilitator.ts';
export { type SolanaChain, startSolanaChain } from './solana.ts';
export { type EvmWallet, newEvmWallet, newSolanaWallet, type SolanaWallet } from './wallets.ts';
