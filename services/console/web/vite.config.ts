import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Nothing is inlined: the policy of the pages allows files of this origin alone. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // The library's own build for Node.js needs its `Buffer`.
  resolve: { alias: { 'csv-stringify/sync': 'csv-stringify/browser/esm/sync' } },
  build: { outDir: 'dist', emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 900 },
  // For work on the pages: `npm run dev` beside a running `npm start`.
  server: { proxy: { '/v1': 'http://localhost:4000', '/readyz': 'http://localhost:4000' } },
});
