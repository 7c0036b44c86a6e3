export { type FakeNode, startFakeNode } from './rpc/fake-node.testing.ts';
export { ofData, publicFile } from './testing/public-files.ts';
export { sampleList } from './testing/lists.ts';
export { type ListServer, startListServer } from './testing/list-server.ts';
