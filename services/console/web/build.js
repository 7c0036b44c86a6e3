// Builds the pages of the web console into dist, where the packages for it are installed. `npm ci` runs it.
import { createRequire } from 'node:module';

const isInstalled = (() => {
  try {
    return createRequire(import.meta.url).resolve('@vitejs/plugin-react') !== '';
  } catch {
    return false;
  }
})();

if (isInstalled) {
  const { build } = await import('vite');
  await build({ configFile: new URL('vite.config.ts', import.meta.url).pathname, logLevel: 'warn' });
} else {
  process.stdout.write('The pages of the web console are not built: its development packages are not installed.\n');
}
