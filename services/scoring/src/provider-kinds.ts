export const providerKinds = ['specified', 'chainalysis', 'elliptic'] as const;
export type ProviderKind = (typeof providerKinds)[number];
