/** `npm run build -w @weir/client [-- folder]`: builds the package for publication. */
import { join } from 'node:path';
import { buildPackage } from '../../../../scripts/build-package.ts';

const folder = join(import.meta.dirname, '..');
buildPackage(folder, process.argv[2] ?? join(folder, 'dist'));
