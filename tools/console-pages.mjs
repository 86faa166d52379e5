import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './launcher/install.mjs'
import { reach } from './sizes/page-sizes.mjs'

const CONSOLE = path.join(ROOT, 'console')
const FEATURES = path.join(CONSOLE, 'src/app/features.ts')
const START = path.join(CONSOLE, 'src/start/start.ts')
const ENTRY = 'index.html'
/** Sets the theme of the first frame. */
const THEME = '/theme.js'
const HASH_LENGTH = 8

/**
 * Bundles the console's list of features for Node.js. A `load` function cannot be asked which file
 * it imports, so dynamic imports keep the path of the file, and the text of the function has it.
 */
async function readFeatures() {
  const { build } = await import('esbuild')
  const keptImports = {
    name: 'kept-imports',
    setup: ({ onResolve }) =>
      onResolve({ filter: /./ }, ({ kind, path: specifier, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined
        const file = path.relative(CONSOLE, path.join(resolveDir, specifier))
        return { path: file.replaceAll(path.sep, '/'), external: true }
      }),
  }
  const { outputFiles } = await build({
    entryPoints: [FEATURES],
    bundle: true,
    write: false,
    format: 'esm',
    plugins: [keptImports],
    logLevel: 'warning',
  })
  const { features } = await import(
    `data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`
  )
  return features
}

const importedBy = (load) => /import\("([^"]+)"\)/.exec(String(load))?.[1]

/**
 * The scripts and style sheets that a page loads besides those of the entry, which the HTML names
 * itself. Browsers request six files at a time, so the largest come first.
 */
export function filesOf(manifest, keys, sizeOf) {
  const known = reach(manifest, [ENTRY])
  const added = [...reach(manifest, keys)].filter((key) => !known.has(key))
  const files = new Set(added.flatMap((key) => [manifest[key].file, ...(manifest[key].css ?? [])]))
  return [...files].toSorted((a, b) => sizeOf(b) - sizeOf(a) || a.localeCompare(b))
}

/**
 * Writes which files each page needs, for the server's HTML: the browser then requests them with
 * the entry instead of after it.
 */
export async function writeConsolePages(dist) {
  const folder = path.join(dist, '.vite')
  const manifest = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'))
  const features = await readFeatures()
  const sizeOf = (file) => statSync(path.join(dist, file)).size
  const pages = features.flatMap(({ pages: all, messages }) =>
    all.map(({ path: pattern, access, publicIf, load }) => {
      const keys = [importedBy(load), importedBy(messages)].filter((key) => manifest[key])
      return {
        path: pattern,
        visitors: access === 'public' ? 'always' : (publicIf ?? 'never'),
        files: filesOf(manifest, keys, sizeOf),
      }
    }),
  )
  writeFileSync(path.join(folder, 'pages.json'), JSON.stringify(pages))
}

const ENTRY_SCRIPT = /<script type="module" crossorigin src="(\/static\/js\/)([^"]+)"><\/script>/

/** Starts the entry by the script that sets the theme: `console/src/start/start.ts`. */
export async function startAfterPaint(dist) {
  const index = path.join(dist, ENTRY)
  const html = readFileSync(index, 'utf8')
  const [script, folder, entry] = ENTRY_SCRIPT.exec(html) ?? []
  if (script === undefined) throw new Error('The HTML of the console starts no script')
  const start = writeHashed(dist, `${folder}start`, await bundleStart(entry))
  rmSync(path.join(dist, THEME))
  const link = `<link rel="modulepreload" crossorigin href="${folder}${entry}">`
  writeFileSync(index, html.replace(script, link).replace(THEME, start))
}

async function bundleStart(entry) {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [START],
    inject: [path.join(CONSOLE, 'public', THEME)],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    logLevel: 'warning',
  })
  return outputFiles[0].text.replace('./entry.js', () => `./${entry}`)
}

function writeHashed(dist, name, code) {
  const hash = createHash('sha256').update(code).digest('hex').slice(0, HASH_LENGTH)
  const file = `${name}-${hash}.js`
  writeFileSync(path.join(dist, file), code)
  return file
}
