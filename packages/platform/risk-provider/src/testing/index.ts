export { simulateChainalysis } from './chainalysis.ts';
export { simulateElliptic } from './elliptic.ts';
export type { Script, SimulatedApi } from './server.ts';
export { simulateSpecified } from './specified.ts';
