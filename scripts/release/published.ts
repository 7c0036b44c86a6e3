/** Name and folder of each package that others install. All else is run from a checkout or from the image. */
export const publishedPackages: readonly (readonly [name: string, folder: string])[] = [
  ['@weir/client', 'packages/sdk/client'],
  ['@weir/permit', 'packages/sdk/permit'],
  ['@weir/risk-client', 'packages/sdk/risk-client'],
];
