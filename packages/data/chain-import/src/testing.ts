export { type FakeNode, startFakeNode } from './rpc/fake-node.testing.ts';
export { ofData, publicFile } from './testing/public-files.ts';
