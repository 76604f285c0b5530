// Static files under /ui/, nothing inline: the policy of the control plane refuses inline scripts and styles.
import preact from '@preact/preset-vite'
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/ui/',
  plugins: [preact()],
  build: {
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Reading a member does nothing else here, so what is only read and never used can go.
    rolldownOptions: { treeshake: { propertyReadSideEffects: false } },
  },
})
