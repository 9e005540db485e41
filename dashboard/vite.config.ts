/** Builds the dashboard into dashboard/dist, as files that nothing from elsewhere is needed for. */
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  build: {
    // scripts/build-dashboard.cjs names another folder, and puts it in place once it is whole.
    outDir: 'dist',
    emptyOutDir: true,
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    // A font as data: would need a hole in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      // "use client" speaks to servers that render React; there is none here.
      checks: { moduleLevelDirective: false },
      onwarn(warning, warn) {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
      },
    },
  },
})
