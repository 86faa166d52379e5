import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { ROOT } from '../launcher/install.mjs'
import { MALLOC_VARIABLES, SERVER_FLAGS } from '../launcher/node-flags.mjs'

const read = (name) => readFileSync(path.join(ROOT, 'deploy', name), 'utf8')
const compose = parse(read('compose.yaml'))
const values = parse(read('helm/values.yaml'))
const templates = readdirSync(path.join(ROOT, 'deploy/helm/templates'))

const variablesIn = (name, pattern) => [...read(name).matchAll(pattern)].map(([found]) => found)
const inImage = variablesIn('Containerfile', /(?<=^ENV .*)\b[A-Z_]+(?==)/gm)
const inChart = variablesIn('helm/templates/statefulset.yaml', /(?<=name: )[A-Z_]+/g)
const schema = JSON.parse(read('helm/values.schema.json'))

const LABEL_MAX = 63
/** Kubernetes adds as much to the name of a StatefulSet. */
const REVISION_HASH = '-5c7f8d9b4f'

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
  const inUnit = variablesIn('systemd/tollgate.service', /(?<=^Environment=.*)\b[A-Z_]+(?==)/gm)
  const names = [...inCompose, ...inUnit, ...inImage, ...inChart]
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !isKnown(name))).toEqual([])
})

test.each([
  ['8080', 8080],
  ['', 3000],
])('the health check of the image asks the port of PORT=%j', (PORT, port) => {
  const [, command] = /HEALTHCHECK .*\n +CMD (\[.*\])\n/.exec(read('Containerfile'))
  const [, , script] = JSON.parse(command)
  const ask = `globalThis.fetch = (url) => (console.log(url), Promise.resolve({ ok: true }));`
  const env = { ...process.env, PORT }
  const { status, stdout } = spawnSync(process.execPath, ['-e', ask + script], {
    encoding: 'utf8',
    env,
  })
  expect([status, stdout]).toEqual([0, `http://127.0.0.1:${port}/readyz\n`])
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

/** Where a value contradicts the schema, as far as the schema of the chart has rules. */
function mismatches(rules, value, at = 'values') {
  if (rules.enum !== undefined) return rules.enum.includes(value) ? [] : [at]
  if (rules.type === 'array') return Array.isArray(value) ? [] : [at]
  if (rules.type === 'integer') {
    return Number.isInteger(value) && value >= rules.minimum && value !== rules.not?.const
      ? []
      : [at]
  }
  if (rules.type !== 'object') return typeof value === rules.type ? [] : [at]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [at]
  return Object.entries(rules.properties ?? {}).flatMap(([name, inner]) =>
    mismatches(inner, value[name], `${at}.${name}`),
  )
}

test('the default values match the schema of the chart', () => {
  expect(mismatches(schema, values)).toEqual([])
  const changed = { ...values, replicaCount: 0, usesPostgres: 'yes', metrics: { port: 3000 } }
  expect(mismatches(schema, changed)).toEqual([
    'values.replicaCount',
    'values.usesPostgres',
    'values.metrics.enabled',
    'values.metrics.port',
    'values.metrics.serviceMonitor',
  ])
})

test('the chart refuses variables that it or the image sets, since Kubernetes takes each once', () => {
  const { env } = schema.properties
  expect(env.propertyNames.not.enum).toEqual([...new Set([...inImage, ...inChart])].toSorted())
  expect(inChart).toHaveLength(new Set(inChart).size)
  expect(Object.keys(values.env).filter((name) => inChart.includes(name))).toEqual([])
})

test('names of the chart are short enough for the labels that Kubernetes makes of them', () => {
  const [, kept, ending] = /trunc (\d+) .*\}\}(-\w+)\n/.exec(read('helm/templates/_helpers.tpl'))
  expect(Number(kept) + ending.length).toBeLessThanOrEqual(LABEL_MAX - REVISION_HASH.length)
})

test('templates of the chart use values that exist, and the schema describes each', () => {
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
    for (const document of parseAllDocuments(plain)) {
      expect(document.errors, name).toEqual([])
      expect(document.get('kind'), name).toMatch(/^[A-Z]/)
    }
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
