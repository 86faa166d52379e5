import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './launcher/install.mjs'
import { reach } from './sizes/page-sizes.mjs'

const CONSOLE = path.join(ROOT, 'console')
const FEATURES = path.join(CONSOLE, 'src/app/features.ts')
const ENTRY = 'index.html'
/** Sets the theme of the first frame. */
const THEME = '/theme.js'
const HASH_LENGTH = 8
/** Starts the code of a browser that does not say when it draws. */
const PAINT_MS = 1000

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

/**
 * Asks for the status while the console's code loads, and lets the browser draw the frame in the
 * HTML before the code keeps it busy. Tabs in the background draw nothing, so they start at once.
 * Without the code, for example because a new build has replaced it, the frame offers to reload the
 * page.
 */
const paintFirst = (entry) => `{
  const base = document.querySelector('meta[name="base-path"]')?.content ?? ''
  globalThis.earlyStatus = fetch(base + '/api/status')
  // The console's code has the failure too.
  globalThis.earlyStatus.catch(() => undefined)
  const fail = () => {
    const isChinese = navigator.language.startsWith('zh')
    const line = document.createElement('p')
    line.setAttribute('role', 'alert')
    line.textContent = isChinese ? '控制台未能加载。 ' : 'The console did not load. '
    const button = document.createElement('button')
    button.textContent = isChinese ? '重新加载' : 'Reload'
    button.onclick = () => location.reload()
    line.append(button)
    document.querySelector('.boot')?.append(line)
  }
  let started
  const start = () => { started ??= import('./${entry}').catch(fail) }
  addEventListener('DOMContentLoaded', () => {
    if (document.hidden) return start()
    new PerformanceObserver(start).observe({ type: 'paint', buffered: true })
    setTimeout(start, ${PAINT_MS})
  })
}
`

/** Starts the entry by the script that sets the theme, once the HTML has been drawn. */
export function startAfterPaint(dist) {
  const index = path.join(dist, ENTRY)
  const html = readFileSync(index, 'utf8')
  const [script, folder, entry] = ENTRY_SCRIPT.exec(html) ?? []
  if (script === undefined) throw new Error('The HTML of the console starts no script')
  const theme = path.join(dist, THEME)
  const start = writeHashed(dist, `${folder}start`, readFileSync(theme, 'utf8') + paintFirst(entry))
  rmSync(theme)
  const link = `<link rel="modulepreload" crossorigin href="${folder}${entry}">`
  writeFileSync(index, html.replace(script, link).replace(THEME, start))
}

function writeHashed(dist, name, code) {
  const hash = createHash('sha256').update(code).digest('hex').slice(0, HASH_LENGTH)
  const file = `${name}-${hash}.js`
  writeFileSync(path.join(dist, file), code)
  return file
}
