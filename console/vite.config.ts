import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = process.env['TOLLGATE_SERVER'] ?? 'http://127.0.0.1:3000'

export default defineConfig({
  plugins: [react()],
  server: { proxy: { '/api': server, '/v1': server } },
  build: {
    outDir: 'dist',
    // A strict content security policy allows no data: URIs for scripts, styles and fonts.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        entryFileNames: 'static/js/[name]-[hash].js',
        chunkFileNames: 'static/js/[name]-[hash].js',
        assetFileNames: 'static/assets/[name]-[hash][extname]',
      },
    },
  },
})
