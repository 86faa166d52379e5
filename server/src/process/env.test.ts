import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigurationError, readEnv } from './env.ts'

const PASSWORD = 'sekret'

function sentenceFor(variables: Record<string, string>): string {
  try {
    readEnv(variables)
    return ''
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}

test.each([
  ['DATABASE_URL', `postgres://u:${PASSWORD}#1@h/db`],
  ['DATABASE_URL', `postgres://u:${PASSWORD}/1@h/db`],
  ['DATABASE_URL', `postgres://${PASSWORD}:12/3@h/db`],
  ['DATABASE_URL', `postgres://u:${PASSWORD}%zz@h/db`],
  ['DATABASE_URL', `postgres://u:${PASSWORD} 1@h/db`],
  ['DATABASE_URL', `postgres:///${PASSWORD}`],
  ['DATABASE_URL', `postgres://u:${PASSWORD}@/db`],
  ['DATABASE_URL', `postgres://u:${PASSWORD}@/1@h/db?host=/x`],
  ['DATABASE_URL', `mysql://u:${PASSWORD}@h/db`],
  ['REDIS_URL', `redis://:${PASSWORD}#ss@host:6379/3`],
  ['REDIS_URL', `redis://:${PASSWORD}%@host:6379/3`],
  ['REDIS_URL', `redis://:${PASSWORD}@host:6379/prod`],
  ['REDIS_URL', `redis://:${PASSWORD}@host:6379?db=3`],
  ['REDIS_URL', `redis://:${PASSWORD}@host:6379/3/4`],
  ['REDIS_URL', `redis:///3?password=${PASSWORD}`],
  ['REDIS_URL', `redis://:${PASSWORD}@/3`],
  ['REDIS_URL', `${PASSWORD}@host:6379`],
  ['GITHUB_ADDRESS', `http://${PASSWORD}`],
  ['TRUSTED_PROXIES', `10.0.0.0/8, ${PASSWORD}`],
  ['UPSTREAM_PRIVATE_NETWORKS', PASSWORD],
  ['WORKERS', PASSWORD],
  ['SYNC_JOURNAL', PASSWORD],
  ['LOG_LEVEL', PASSWORD],
  ['INITIAL_ROOT_TOKEN', PASSWORD],
  ['INITIAL_ROOT_ACCESS_TOKEN', PASSWORD],
])('%s=%s is refused in one sentence that does not show the value', (name, value) => {
  const sentence = sentenceFor({ [name]: value })
  expect(sentence).toMatch(new RegExp(`^${name} .+\\.$`))
  expect(sentence).not.toContain(PASSWORD)
  expect(sentence).not.toContain('\n')
})

test.each([
  ['DATABASE_URL', 'postgres://user:p%40%2F%23@host:5432/db?sslmode=require'],
  ['DATABASE_URL', 'postgresql:///db?host=/var/run/postgresql'],
  ['DATABASE_URL', 'postgres://u:p@/db?host=/var/run/postgresql'],
  ['DATABASE_URL', 'postgres://%2Fvar%2Frun%2Fpostgresql/db'],
  ['DATABASE_URL', 'postgres://user@[::1]:5432/db'],
  ['REDIS_URL', 'redis://host'],
  ['REDIS_URL', 'rediss://user:p%40ss@host:6379/15'],
  ['REDIS_URL', 'redis://127.0.0.1:6379/'],
])('%s=%s is an address', (name, value) => {
  expect(sentenceFor({ [name]: value })).toBe('')
})

test.each([
  ['PORT', 'eighty', /^PORT must be a whole number/],
  ['PORT', '70000', /^PORT must be a whole number/],
  ['DATABASE_URL', 'mysql://localhost/x', /^DATABASE_URL must begin with postgres/],
  ['REDIS_URL', 'redis://:p#ss@host:6379/3', /^REDIS_URL must be an address like redis:/],
  ['REDIS_URL', 'localhost:6379', /^REDIS_URL must begin with redis:/],
  ['SECRET_KEY', 'short', /^SECRET_KEY must have at least 16/],
  ['TRUSTED_PROXIES', '10.0.0.0/8, nonsense', /^TRUSTED_PROXIES must be/],
  ['UPSTREAM_PRIVATE_NETWORKS', '10.0.0.0/33', /^UPSTREAM_PRIVATE_NETWORKS must be/],
  ['CHANNEL_PRIVATE_NETWORKS', 'off', /^CHANNEL_PRIVATE_NETWORKS must be allow or forbid/],
  ['GITHUB_ADDRESS', 'https://a.example/x#', /^GITHUB_ADDRESS must have no "#"/],
  ['SHUTDOWN_DELAY_SECONDS', '1.5', /^SHUTDOWN_DELAY_SECONDS must be a whole number from 0 to 300/],
  ['LOG_LEVEL', 'loud', /^LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent\.$/],
  ['SYNC_JOURNAL', 'maybe', /^SYNC_JOURNAL must be off or always\.$/],
  ['NODE_ID', 'n'.repeat(101), /^NODE_ID must have 1 to 100 characters\.$/],
  ['BASE_PATH', '/../x', /^BASE_PATH must be a path such as \/gate, of letters, digits, "-", "_"/],
  ['BASE_PATH', '/a/.', /^BASE_PATH must be a path such as \/gate, of letters, digits, "-", "_"/],
])('%s=%s is refused with what the variable needs', (name, value, sentence) => {
  expect(sentenceFor({ [name]: value })).toMatch(sentence)
})

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-secrets-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const fileWith = (text: string) => {
    const file = join(folder, 'secret')
    writeFileSync(file, text)
    return file
  }

  test.each([
    ['SECRET_KEY', 'a secret key of the tests'],
    ['DATABASE_URL', 'postgres://u:p@h/db'],
    ['REDIS_URL', 'redis://:p@h/1'],
    ['INITIAL_ROOT_PASSWORD', ' with spaces '],
    ['INITIAL_ROOT_TOKEN', '12345678901234567890'],
    ['INITIAL_ROOT_ACCESS_TOKEN', '12345678901234567890'],
  ] as const)('%s is read without the line end', (name, value) => {
    for (const end of ['', '\n', '\r\n']) {
      expect(readEnv({ [`${name}_FILE`]: fileWith(`${value}${end}`) })[name]).toBe(value)
      // A Secret of Kubernetes that was made from such a file.
      expect(readEnv({ [name]: `${value}${end}` })[name]).toBe(value)
    }
  })

  test('both forms at once are refused, and an empty one counts as not set', () => {
    const SECRET_KEY_FILE = fileWith('a secret key of the tests')
    const SECRET_KEY = 'another secret key of the tests'
    expect(sentenceFor({ SECRET_KEY, SECRET_KEY_FILE })).toBe(
      'SECRET_KEY and SECRET_KEY_FILE are both set; set one of them.',
    )
    expect(sentenceFor({ SECRET_KEY: '', SECRET_KEY_FILE })).toBe('')
    expect(sentenceFor({ SECRET_KEY, SECRET_KEY_FILE: '' })).toBe('')
  })

  test('a missing, empty or unreadable file is named, and its content is not shown', () => {
    const missing = join(folder, 'none')
    expect(sentenceFor({ REDIS_URL_FILE: missing })).toContain(
      `REDIS_URL_FILE ${missing} cannot be read: ENOENT`,
    )
    expect(sentenceFor({ REDIS_URL_FILE: folder })).toContain('cannot be read: EISDIR')
    expect(sentenceFor({ SECRET_KEY_FILE: fileWith('\n') })).toMatch(
      /^SECRET_KEY_FILE .* is empty\.$/,
    )
    const refused = sentenceFor({ REDIS_URL_FILE: fileWith(PASSWORD) })
    expect(refused).toMatch(/^REDIS_URL must begin with/)
    expect(refused).not.toContain(PASSWORD)
  })
})

test('a secret is not read from a file without an end', () => {
  expect(sentenceFor({ SECRET_KEY_FILE: '/dev/zero' })).toBe(
    'SECRET_KEY_FILE /dev/zero cannot be read: it has more than 65536 bytes.',
  )
})
