import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { startAfterPaint, writeConsolePages } from './console-pages.mjs'
import { findCommand, ROOT } from './launcher/install.mjs'

const STAMP = '.built-from'
/** The lines of the bundle stay short enough for a stack trace to point at a statement. */
const LINE_LENGTH = 100
const NOT_BUILT = /\.test\.tsx?$|^(?:dist|node_modules|testing|__fixtures__)$/

/**
 * Our own packages, those of which the server uses a part only, and those that every start loads
 * from hundreds of files.
 */
const BUNDLED =
  /^(?:@tollgate\/|@fastify\/|(?:zod|kysely|fastify|ipaddr\.js|lru-cache|otpauth|pino|ws|pg)(?:\/|$))/
/** What bundled packages load only where it is installed, and what no start of ours loads. */
const NOT_BUNDLED =
  /^(?:pg-native|bufferutil|utf-8-validate|@fastify\/(?:ajv|fast-json-stringify)-compiler)$/
const isBundled = (specifier, importer) =>
  (BUNDLED.test(specifier) || importer.includes('node_modules')) &&
  !NOT_BUNDLED.test(specifier) &&
  !isBuiltin(specifier)
/** Bundled CommonJS modules load modules of Node.js by `require`. */
const REQUIRE = `import{createRequire as __createRequire}from'node:module';
const require=__createRequire(import.meta.url);`

const PARTS = [
  {
    name: 'server',
    dist: 'server/dist',
    inputs: ['server/src', 'contract/src', 'relay/src', 'tools/build.mjs', 'package-lock.json'],
    build: buildServer,
  },
  {
    name: 'console',
    dist: 'console/dist',
    inputs: [
      'console',
      'contract/src',
      'relay/src',
      'tools/console-pages.mjs',
      'tools/sizes/page-sizes.mjs',
      'tsconfig.base.json',
      'package-lock.json',
    ],
    build: buildConsole,
  },
]

process.chdir(ROOT)
/** A part can be named; all are built otherwise. */
const [only] = process.argv.slice(2)
for (const part of PARTS) {
  if (only !== undefined && part.name !== only) continue
  const wanted = hashOf(part.inputs)
  const stamp = path.join(part.dist, STAMP)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) continue
  if (!(await rebuild(part, wanted))) {
    console.error(`The ${part.name} was not built; what is wrong stands above.`)
    process.exit(1)
  }
}

function hashOf(inputs) {
  const hash = createHash('sha256')
  for (const input of inputs) addToHash(hash, input)
  return hash.digest('hex')
}

function addToHash(hash, file) {
  if (statSync(file).isDirectory()) {
    const names = readdirSync(file).filter((name) => !NOT_BUILT.test(name))
    for (const name of names.toSorted()) addToHash(hash, path.posix.join(file, name))
    return
  }
  const content = file === 'package-lock.json' ? lockedPackages(file) : readFileSync(file)
  hash.update(`${file} ${content.length}\n`).update(content)
}

/** Without the versions of our own, so that a release builds only what names its version. */
function lockedPackages(file) {
  const { packages } = JSON.parse(readFileSync(file, 'utf8'))
  const others = Object.entries(packages).filter(([folder]) => folder.includes('node_modules/'))
  return JSON.stringify(others)
}

/**
 * Builds into a temporary folder and swaps it in at the end, so a failed build leaves the last good
 * one in place.
 */
async function rebuild({ name, dist, build }, wanted) {
  console.log(`Building the ${name} …`)
  const startedAt = Date.now()
  const aside = path.join(ROOT, 'node_modules/.cache/tollgate', `${name}-${process.pid}`)
  mkdirSync(aside, { recursive: true })
  try {
    if (!(await build(aside))) return false
    writeFileSync(path.join(aside, STAMP), wanted)
    rmSync(dist, { recursive: true, force: true })
    renameSync(aside, dist)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
  console.log(`Built the ${name} in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
  return true
}

/** Other packages stay external: some start threads or load files relative to their own source. */
async function buildServer(outdir) {
  const { build } = await import('esbuild')
  const packagesOutside = {
    name: 'packages-outside',
    setup: ({ onResolve }) =>
      onResolve({ filter: /^[^./]/ }, ({ path: specifier, kind, importer }) =>
        kind === 'entry-point' || isBundled(specifier, importer)
          ? undefined
          : { path: specifier, external: true },
      ),
  }
  // An import of node:http reads its property WebSocket, which loads an HTTP client of 10 MB.
  const httpAlone = {
    name: 'http-alone',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^node:http$/ }, () => ({ path: 'http', namespace: 'http-alone' }))
      onLoad({ filter: /./, namespace: 'http-alone' }, () => ({
        contents: "module.exports = process.getBuiltinModule('node:http')",
      }))
    },
  }
  // The namespace of zod holds its error texts in sixty languages, so the bundler keeps them all.
  const ownLanguages = {
    name: 'own-languages',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\bzod\/v4\/locales\/index\.js$/ }, () => ({
        contents: `export { default as en } from './en.js'
          export { default as zhCN } from './zh-CN.js'`,
      })),
  }
  const bundle = (entryPoints) =>
    build({
      absWorkingDir: ROOT,
      entryPoints,
      outdir,
      bundle: true,
      // A package that only a dynamic import needs is loaded with that import.
      splitting: true,
      chunkNames: '[name]-[hash]',
      platform: 'node',
      format: 'esm',
      target: 'node24',
      sourcemap: true,
      // V8 keeps the text of each file; comments and indentation are a third of it.
      minifyWhitespace: true,
      lineLimit: LINE_LENGTH,
      banner: { js: REQUIRE },
      plugins: [httpAlone, ownLanguages, packagesOutside],
      logLevel: 'warning',
    })
  // Together the server would start from the forty files that it shares with some command.
  const bundles = [
    bundle({
      main: 'server/src/main.ts',
      'sqlite-worker': 'server/src/store/sqlite-worker.ts',
      'count-worker': 'server/src/scheduler/count-worker.ts',
      'bcrypt-worker': 'server/src/http/bcrypt-worker.ts',
    }),
    bundle({ tollgate: 'server/src/commands/tollgate.ts' }),
  ]
  return Promise.all(bundles).then(
    () => {
      for (const name of readdirSync(outdir)) {
        if (name.endsWith('.js')) escapeForeignLetters(path.join(outdir, name))
      }
      return true
    },
    () => false,
  )
}

/**
 * A single letter outside Latin-1 would double the memory that V8 takes for the text of a file.
 * The bundler leaves such letters in comments and regular expressions.
 */
function escapeForeignLetters(file) {
  const escape = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/[\u0080-\uffff]/g, escape))
}

async function buildConsole(outDir) {
  const vite = findCommand('vite')
  const options = ['build', 'console', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn']
  const isBuilt = spawnSync(process.execPath, [vite, ...options], { stdio: 'inherit' }).status === 0
  if (!isBuilt) return false
  await writeConsolePages(outDir)
  await startAfterPaint(outDir)
  compressFiles(outDir)
  return true
}

/**
 * Writes compressed files next to each file. Browsers accept Brotli over HTTPS only. The server
 * changes the HTML for each page, so it compresses that itself.
 */
function compressFiles(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!/\.(?:js|css|svg)$/.test(name)) continue
    const file = path.join(folder, name)
    const content = readFileSync(file)
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
    writeFileSync(`${file}.br`, brotliCompressSync(content))
  }
}
