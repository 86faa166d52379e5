import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from '../launcher/install.mjs'
import { MALLOC_VARIABLES, SERVER_FLAGS } from '../launcher/node-flags.mjs'

const read = (name) => readFileSync(path.join(ROOT, 'deploy', name), 'utf8')
const compose = parse(read('compose.yaml'))
const values = parse(read('helm/values.yaml'))
const templates = readdirSync(path.join(ROOT, 'deploy/helm/templates'))

/** Variables that the server reads, and those of Node.js, glibc and systemd. */
const known = new Set([
  ...[
    ...readFileSync(path.join(ROOT, 'server/src/process/env.ts'), 'utf8').matchAll(
      /^ {2}([A-Z_]+): /gm,
    ),
  ].map(([, name]) => name),
  'NODE_ENV',
  ...Object.keys(MALLOC_VARIABLES),
])
const isKnown = (name) => known.has(name.replace(/_FILE$/, ''))

test.each(['tollgate', 'systemd/tollgate.service'])(
  '%s starts the server as npm start does',
  (name) => {
    const text = read(name)
    for (const flag of SERVER_FLAGS)
      expect(text).toContain(flag.replace(/(?<=semi-space-size=).*/, ''))
    for (const [name, value] of Object.entries(MALLOC_VARIABLES))
      expect(text).toContain(`${name}=${value}`)
    expect(text).toContain('server/dist/main.js')
  },
)

test('every variable in the files is one that the server reads', () => {
  const inCompose = Object.keys(compose.services.tollgate.environment)
  const inUnit = [
    ...read('systemd/tollgate.service').matchAll(/(?<=^Environment=.*)\b[A-Z_]+(?==)/gm),
  ]
  const inImage = [...read('Containerfile').matchAll(/(?<=^ENV .*)\b[A-Z_]+(?==)/gm)]
  const inChart = [...read('helm/templates/statefulset.yaml').matchAll(/(?<=name: )[A-Z_]+/g)]
  const names = [...inCompose, ...[...inUnit, ...inImage, ...inChart].map(([name]) => name)]
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !isKnown(name))).toEqual([])
})

test('no container runs as root, gains rights, or writes outside of its volumes', () => {
  expect(read('Containerfile')).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
  const { tollgate } = compose.services
  expect(tollgate).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] })
  expect(tollgate.volumes).toEqual(['journal:/data'])
  const pod = read('helm/templates/statefulset.yaml')
  for (const rule of ['runAsNonRoot: true', 'readOnlyRootFilesystem: true', 'drop: [ALL]']) {
    expect(pod).toContain(rule)
  }
})

test('compose waits for what it depends on, and names only secrets and volumes that it declares', () => {
  for (const [name, service] of Object.entries(compose.services)) {
    for (const needed of Object.keys(service.depends_on ?? {})) {
      expect(compose.services[needed].healthcheck.test[0], name).toBe('CMD')
    }
    for (const secret of service.secrets ?? []) expect(compose.secrets).toHaveProperty([secret])
    for (const volume of service.volumes ?? []) {
      expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0])
    }
  }
})

test('templates of the chart use values that exist, and the schema describes each', () => {
  const schema = JSON.parse(read('helm/values.schema.json'))
  const used = templates.flatMap((name) =>
    [...read(`helm/templates/${name}`).matchAll(/\.Values\.([\w.]+)/g)].map(([, value]) => value),
  )
  const at = (value) => value.split('.').reduce((part, key) => part?.[key], values)
  expect(used.length).toBeGreaterThan(25)
  expect(used.filter((value) => at(value) === undefined)).toEqual([])
  expect(Object.keys(schema.properties).toSorted()).toEqual(Object.keys(values).toSorted())
  for (const [name, part] of Object.entries(schema.properties)) {
    if (part.properties === undefined) continue
    expect(Object.keys(part.properties).toSorted(), name).toEqual(
      Object.keys(values[name]).toSorted(),
    )
  }
})

test('blocks of the templates are closed, and what remains of them is YAML', () => {
  for (const name of templates.filter((file) => file.endsWith('.yaml'))) {
    const text = read(`helm/templates/${name}`)
    const count = (word) => [...text.matchAll(new RegExp(`\\{\\{-? ${word}\\b`, 'g'))].length
    expect(count('end'), name).toBe(count('if') + count('with') + count('range') + count('define'))
    const plain = text
      .replaceAll(/^\s*\{\{.*\}\}\n/gm, '')
      .replaceAll(/\{\{-.*nindent.*\}\}/g, '{}')
      .replaceAll(/"\{\{.*\}\}"/g, 'x')
      .replaceAll(/\{\{.*?\}\}/g, 'x')
    expect(parse(plain).kind, name).toMatch(/^[A-Z]/)
  }
})

test('the unit leaves little exposed', () => {
  const unit = path.join(ROOT, 'deploy/systemd/tollgate.service')
  const args = ['security', '--offline=true', '--threshold=20', unit]
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, ''])
})

test('systemd knows every line of the unit', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-unit-'))
  try {
    const unit = path.join(folder, 'tollgate.service')
    writeFileSync(unit, read('systemd/tollgate.service').replace('/usr/bin/node', process.execPath))
    const args = ['verify', '--man=no', unit]
    const { status, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
