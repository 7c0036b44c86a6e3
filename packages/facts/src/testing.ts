export { type FakeNode, startFakeNode } from './rpc/fake-node.testing.ts';
export { sharedData } from './testing/files.ts';
