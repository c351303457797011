import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  // A build does not know under which path it will be served: the service writes that into the page.
  base: command === 'build' ? './' : '/dashboard/',
  plugins: [react(), tailwind()],
  build: {
    target: 'es2022',
    // The first that know light-dark(), by which the two themes are one list of colours.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/console': 'http://localhost:8080' } },
}))
