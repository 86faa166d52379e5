import { readFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const server = process.env['TOLLGATE_SERVER'] ?? 'http://127.0.0.1:3000'

/** What every page needs stands in one file: one file compresses better than many. */
const SHELL = new RegExp(
  [
    'node_modules/(?:@mantine/core/esm/core|react|react-dom|scheduler|react-router|cookie-es|i18next|react-i18next|zod|@tanstack/(?:query-core|react-query))/',
    'node_modules/@mantine/core/esm/components/(?:Stack|TextInput|PasswordInput|ActionIcon|UnstyledButton|VisuallyHidden|Button|Text|Alert|CloseButton)/',
    'console/src/lib/(?:session|status|toast|storage|use-stored|call|api|html|report-error|format|confirm|query-client|load-chunk|forgetful|passkeys)\\.ts',
    'node_modules/lucide-react/dist/esm/(?:createLucideIcon|Icon|context|defaultAttributes|shared/.*|icons/(?:search|chevron-down|menu|languages|contrast))\\.',
    'console/src/app/(?:shortcut|use-nav-items|layout\\.module)\\.',
    'console/src/(?:i18n/|ui/(?:page|loading|use-delayed|rich-text|arriving)\\.)',
  ].join('|'),
)

/**
 * Every schema of zod carries code to describe itself and texts for its errors. The console asks for
 * neither, its forms have their own texts, and 6 kB less come with the first page.
 */
const withoutSchemaDescriptions: Plugin = {
  name: 'without-schema-descriptions',
  apply: 'build',
  load(id) {
    if (/\/zod\/v4\/locales\/(?:en|zh-CN)\.js$/.test(id)) {
      return 'export default () => ({ localeError: () => undefined })'
    }
    if (!/\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/.test(id)) return null
    const names = readFileSync(id, 'utf8').matchAll(/^export (?:const|function) (\w+)/gm)
    return [...names].map(([, name]) => `export const ${name} = () => () => {}`).join('\n')
  },
}

/**
 * The content security policy forbids code made from text, and reports even the attempt. Schemas are
 * made before any line of ours runs, so zod is told here.
 */
const withoutCodeFromText: Plugin = {
  name: 'without-code-from-text',
  apply: 'build',
  transform(code, id) {
    if (!id.endsWith('/zod/v4/core/core.js')) return null
    return code.replace('__zod_globalConfig = {}', '__zod_globalConfig = { jitless: true }')
  },
}

export default defineConfig({
  plugins: [react(), withoutSchemaDescriptions, withoutCodeFromText],
  server: { proxy: { '/api': server, '/v1': server } },
  build: {
    outDir: 'dist',
    // Says which chunk loads which: tools/check-sizes.mjs reads it.
    manifest: true,
    // A strict content security policy allows no data: URIs for scripts, styles and fonts.
    assetsInlineLimit: 0,
    // Lists of what each page will need cost more in the first load than the pages gain by them.
    modulePreload: {
      resolveDependencies: (_, files, { hostType }) => (hostType === 'html' ? files : []),
    },
    // The shell is one file on purpose.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // The contract only declares; a page gets the parts it names.
      treeshake: {
        moduleSideEffects: [{ test: /\/(?:contract|relay)\/src\//, sideEffects: false }],
        // So does each call in it: a schema that no page names is left out.
        manualPureFunctions: ['z', 'endpoint', 'rule', 'pageQuery', 'pageFields', 'textOf'],
      },
      output: {
        entryFileNames: 'static/js/[name]-[hash].js',
        chunkFileNames: 'static/js/[name]-[hash].js',
        assetFileNames: 'static/assets/[name]-[hash][extname]',
        codeSplitting: { groups: [{ name: 'shell', test: SHELL }] },
      },
    },
  },
})
