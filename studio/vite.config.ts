import { defineConfig } from 'vite';

/** Where `npm run studio` finds a running server. */
const server = process.env['PERDURE_API_URL'] ?? 'http://localhost:8283';

export default defineConfig({
  root: import.meta.dirname,
  base: '/studio/',
  build: {
    outDir: '../dist/studio',
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 900,
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  oxc: { jsx: { runtime: 'automatic' } },
  server: { proxy: { '/v1': server, '/docs': server } },
});
