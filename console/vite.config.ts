import { readFileSync } from 'node:fs'
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const server = process.env['TOLLGATE_SERVER'] ?? 'http://127.0.0.1:3000'

/** The entry with all its imports, and further parts of the login page or of nearly every page. */
const SHELL = new RegExp(
  [
    'console/(?:index\\.html|src/main\\.tsx)$',
    'rolldown/runtime',
    'node_modules/(?:@mantine/core/esm/core|react|react-dom|scheduler|@tanstack/(?:query-core|react-query))/',
    'node_modules/@mantine/core/esm/components/(?:Stack|TextInput|PasswordInput|ActionIcon|UnstyledButton|VisuallyHidden|Button|Text|Alert|CloseButton)/',
    'node_modules/lucide-react/dist/esm/(?:createLucideIcon|Icon|context|defaultAttributes|shared/.*|icons/(?:search|chevron-down|menu|languages|contrast))\\.',
    'console/src/ui/(?:page|empty|failed|icon-button|description-list|state-dot|tag|money|time|copyable|loading|use-delayed|rich-text|lazy-part)\\.',
    'console/src/lib/(?:html|passkeys|no-cache)\\.',
    // Styles of parts come before those of pages, whichever page is loaded first.
    'console/src/(?:app|ui)/.*\\.css$',
  ].join('|'),
)

/** Components that open at inputs and buttons, without the arrow of a closed one. */
const OVERLAYS =
  'Autocomplete|Combobox(?!/(?:Combobox\\.module|ComboboxChevron))|FocusTrap|Overlay|Pill|PillsInput|Popover|Portal|ScrollArea|Select|TagsInput'
const OVERLAY_HOOKS = 'use-(?:debounced-callback|focus-return|focus-trap|long-press)'

/**
 * Parts that several pages share. A phone waits longer for forty small files than for ten larger
 * ones, so a page has at most fifteen (tools/sizes, e2e/requests.e2e.ts). A group takes what its
 * files import along, and earlier groups win, so a group must not import what its users do not
 * load anyway. What one page alone imports stays with that page.
 */
const GROUPS = [
  { name: 'shell', test: SHELL },
  // What calls of the API need, and the icons, each of which is smaller than a request.
  {
    name: 'schemas',
    test: /node_modules\/(?:zod|lucide-react)\/|contract\/src\/(?:endpoint|units|problem|problem-text|email|web-address|top-up-packages|status|session|second-factor|user-fields|oauth|alert|group-name|option-endpoints|managed)\.ts|console\/src\/lib\/(?:unconfirmed|sandbox)\.ts/,
    minShareCount: 2,
  },
  // The declarations of all options: settings and prices.
  {
    name: 'options',
    test: /contract\/src\/(?:options\.|(?:operation|system|other)-options|option-(?:row|sections|codec))|console\/src\/lib\/price-options/,
    minShareCount: 2,
  },
  // Inputs. Components of one kind of page come with that kind below.
  {
    name: 'widgets',
    test: new RegExp(
      `node_modules/@mantine/(?:hooks/esm/(?!${OVERLAY_HOOKS})|core/esm/(?!utils/Floating/|components/(?:${OVERLAYS}|Menu|Radio|NumberInput|Pagination|Modal|ModalBase|Drawer)/))`,
    ),
    minShareCount: 4,
  },
  // What opens at inputs, and at buttons of lists, which load both after the page.
  {
    name: 'overlays',
    test: new RegExp(
      `node_modules/(?:@mantine/(?:hooks/esm/${OVERLAY_HOOKS}|core/esm/(?:utils/Floating|components/(?:${OVERLAYS}))/)|@floating-ui)`,
    ),
    minShareCount: 2,
  },
  {
    name: 'menus',
    test: /@mantine\/core\/esm\/components\/(?:Menu|Radio)\/|console\/src\/ui\/overlays\./,
  },
  // Small parts, of which each page needs another selection.
  {
    name: 'common',
    test: /console\/src\/(?:ui|lib)\/(?!chart\/(?!chart\.module|path|sparkline)|identity|data-table|filter-chip|late-|icon-menu|form|quota|tags|setting-frame|submit-toasts|use-url-filter|drafts|use-leave|losses|relay\/|own-tokens)|console\/src\/lib\/format|contract\/src\/(?!errors|app-error|channel-|card-|options|option-sections|(?:operation|system|other)-options)/,
    minShareCount: 2,
  },
  // What a page needs that sends requests to models itself.
  { name: 'models', test: /console\/src\/lib\/(?:relay\/|own-tokens)/, minShareCount: 2 },
  // Kinds of pages.
  {
    name: 'dialogs',
    test: /@mantine\/core\/esm\/components\/(?:Modal|ModalBase|Drawer)\/|console\/src\/ui\/form-dialog/,
    minShareCount: 2,
  },
  {
    name: 'numbers',
    test: /@mantine\/core\/esm\/components\/NumberInput\/|console\/src\/ui\/quota/,
    minShareCount: 2,
  },
  {
    name: 'forms',
    test: /node_modules\/(?:react-hook-form|@hookform)|console\/src\/(?:ui\/(?:form|tags|setting-frame)|lib\/(?:form\.|drafts|use-leave|submit-toasts))/,
    minShareCount: 2,
  },
  {
    name: 'table',
    test: /console\/src\/(?:ui\/(?:data-table\/|filter-chip|late-|icon-menu)|lib\/use-url-filter)/,
    minShareCount: 2,
  },
  { name: 'charts', test: /console\/src\/ui\/chart\//, minShareCount: 2 },
  // What the pages of a feature share, without the fields of a form that opens on a click.
  {
    name: 'channels',
    test: /features\/channels\/(?:queries|health|type-(?!field)|use-|response|balance|channels\.module)|relay\/src\/catalogue/,
    minShareCount: 2,
  },
  { name: 'presets', test: /relay\/src\/presets|features\/channels\/preset-field/ },
  {
    name: 'settings',
    test: /features\/settings\/(?:waiting\.messages|refused-error|options-tab)/,
    minShareCount: 2,
  },
  { name: 'users', test: /features\/users\/(?!.*messages)/, minShareCount: 2 },
  // What opens around a page once the page is there: for root always, on phones for everyone.
  {
    name: 'frame',
    test: /console\/src\/(?:app\/(?:unconfirmed-notice|bottom-bar)|lib\/list-alerts)/,
  },
]

/**
 * Every zod schema includes code to describe itself and texts for its errors. The console uses
 * neither, because its forms have their own texts. Removing both saves 6 kB after the first page.
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
 * The content security policy forbids code made from strings, and reports even the attempt. Schemas
 * are created before the console's own code runs, so zod is configured here.
 */
const withoutCodeFromText: Plugin = {
  name: 'without-code-from-text',
  apply: 'build',
  transform(code, id) {
    if (!id.endsWith('/zod/v4/core/core.js')) return null
    return code.replace('__zod_globalConfig = {}', '__zod_globalConfig = { jitless: true }')
  },
}

type Node = { type: string; start: number; end: number }
type Property = Node & { key: Node & { name?: string }; value: Node }
type Call = Node & {
  callee: Node & { name?: string }
  arguments: (Node & { properties?: Property[] })[]
}

type Chain = Node & { callee?: Chain; object?: Chain; name?: string }
type Declarations = { declarations?: { id: { name: string }; init: Chain | null }[] }
type Statement = Declarations & { declaration?: Declarations | null }

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value

function* nodesIn(value: unknown): Generator<Node> {
  if (isNode(value)) yield value
  if (typeof value !== 'object' || value === null) return
  for (const part of Object.values(value)) yield* nodesIn(part)
}

/** The parts of the endpoints that a file declares. */
function partsIn(program: unknown): Property[] {
  return [...nodesIn(program)].flatMap((node) => {
    if (node.type !== 'CallExpression') return []
    // Safe because the parser gives every call these members.
    const { callee, arguments: given } = node as Call
    const isEndpoint = callee.name === 'endpoint' || callee.name === 'withSchemas'
    return isEndpoint ? (given.at(-1)?.properties ?? []) : []
  })
}

/** Schemas of other files, and functions that create one. Others end in `Schema` or are found. */
const SCHEMA_NAMES =
  'z seconds milliseconds nanoDollars idText textOf rowCount wholeNumberText withoutAddressFaults'

/** Whether an expression begins at one of the names, as `z.int().min(0)` begins at `z`. */
function beginsAt(names: ReadonlySet<string>, chain: Chain): boolean {
  const { type, callee, object, name = '' } = chain
  if (type === 'CallExpression') return callee !== undefined && beginsAt(names, callee)
  if (type === 'MemberExpression') return object !== undefined && beginsAt(names, object)
  return type === 'Identifier' && (names.has(name) || name.endsWith('Schema'))
}

/** The values of a file's own constants that are schemas. */
function schemasIn({ body }: { body: Statement[] }): Node[] {
  const names = new Set(SCHEMA_NAMES.split(' '))
  return body.flatMap((statement) => {
    const { declarations = [] } = statement.declaration ?? statement
    return declarations.flatMap(({ id, init }) => {
      if (!init || init.type !== 'CallExpression' || !beginsAt(names, init)) return []
      names.add(id.name)
      return [init]
    })
  })
}

const LAZILY = path.join(import.meta.dirname, 'src/lib/lazily.ts')

/**
 * The console checks answers but not what it sends. Schemas of requests are left out of the build,
 * and all others are created at their first use: a phone takes a tenth of a second for all.
 */
const schemasAtFirstUse: Plugin = {
  name: 'schemas-at-first-use',
  apply: 'build',
  transform(code, id) {
    const isContract = /\/contract\/src\/[\w-]+\.ts$/.test(id)
    const hasSchemas = /\/console\/src\/.*\.tsx?$/.test(id) && / from ['"]zod['"]/.test(code)
    if (!isContract && !hasSchemas) return null
    const program = this.parse(code)
    const parts = partsIn(program).filter(({ type }) => type === 'Property')
    const named = (...names: string[]) =>
      parts.filter(({ key }) => names.includes(key.name ?? '')).map(({ value }) => value)
    const answers = named('data', 'extra', 'rows').filter(({ type }) => type === 'CallExpression')
    const dropped = new Set<Node>(named('params', 'query', 'body'))
    // Safe because the parser gives the file and its statements these members.
    const schemas = [...answers, ...schemasIn(program as never), ...dropped]
    schemas.sort((a, b) => a.start - b.start)
    // From the last to the first, so that the places of the others stay.
    const changed = schemas.reduceRight((text, node) => {
      const { start, end } = node
      const value = dropped.has(node) ? 'undefined' : `lazily(() => ${code.slice(start, end)})`
      return text.slice(0, start) + value + text.slice(end)
    }, code)
    return `import { lazily } from ${JSON.stringify(LAZILY)}\n${changed}`
  },
}

const STYLES = '@mantine/core/styles'
const ALL_STYLES = `@import '${STYLES}.layer.css';`
/** What no component imports. */
const BASE_STYLES = ['default-css-variables', 'baseline', 'global']

/**
 * Mantine's style sheet has all its components. Here each component that is used imports its own
 * styles, so that the console's style sheet has no other styles. Saves 14 kB before the first page.
 */
const stylesByComponent: Plugin = {
  name: 'styles-by-component',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    const component = /@mantine\/core\/esm\/.*?(\w+)\.module\.mjs$/.exec(id)?.[1]
    if (component) return `import '${STYLES}/${component}.layer.css'\n${code}`
    if (!id.endsWith('/ui/global.css')) return null
    if (!code.includes(ALL_STYLES)) return this.error(`global.css does not have ${ALL_STYLES}`)
    const base = BASE_STYLES.map((name) => `@import '${STYLES}/${name}.layer.css';`)
    return code.replace(ALL_STYLES, base.join('\n'))
  },
}

export default defineConfig({
  plugins: [
    react(),
    withoutSchemaDescriptions,
    withoutCodeFromText,
    schemasAtFirstUse,
    stylesByComponent,
  ],
  // A page may be served under a path that is known only at run time (BASE_PATH).
  experimental: {
    renderBuiltUrl: (_, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  server: { proxy: { '/api': server, '/v1': server } },
  build: {
    outDir: 'dist',
    // Lists which chunk loads which; tools/sizes/check-sizes.mjs reads it.
    manifest: true,
    // The content security policy allows no data: URIs for scripts, styles and fonts.
    assetsInlineLimit: 0,
    // Lists of scripts for each page would cost more in the first load than the pages gain.
    modulePreload: {
      resolveDependencies: (_, files, { hostType }) =>
        hostType === 'html' ? files : files.filter((file) => file.endsWith('.css')),
    },
    // The shell is a single file on purpose.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // The contract only declares; a page gets only the parts that it imports.
      treeshake: {
        moduleSideEffects: [{ test: /\/(?:contract|relay)\/src\//, sideEffects: false }],
        // These calls have no side effects, so schemas that no page uses are dropped.
        manualPureFunctions: [
          'z',
          'endpoint',
          'lazily',
          'withSchemas',
          'rule',
          'pageQuery',
          'pageFields',
          'textOf',
        ],
      },
      output: {
        entryFileNames: 'static/js/[name]-[hash].js',
        // Pages list their chunks in the first script, so that short names make it smaller.
        chunkFileNames: 'static/js/[name]-[hash:7].js',
        assetFileNames: 'static/assets/[name]-[hash][extname]',
        codeSplitting: { groups: GROUPS },
      },
    },
  },
})
