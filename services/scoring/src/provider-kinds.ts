export const providerKinds = ['specified', 'misttrack', 'chainalysis', 'elliptic'] as const;
export type ProviderKind = (typeof providerKinds)[number];
