import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ERRORS } from '@tollgate/contract'

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8')
const [ofModels = '', ofConsole = ''] = page.split('## The API of the console')

/** Codes of the second cell of each row; texts in the others can name parameters. */
const documented = new Set(
  ofModels
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| **'))
    .flatMap((line) => [...(line.split(' | ')[1] ?? '').matchAll(/`([a-z_]+)`/g)])
    .flatMap(([, code = '']) => (code === 'code' ? [] : [code])),
)

/** The client has left, so no one reads it. */
const UNREAD = 'client_left'

/** A member, a constant, or the first or last argument of a function that makes an error. */
const IN_SOURCE = [
  /(?:\bcode: |\b(?:problem|badRequest|forbidden)\(\s*|\binvalid\('[^']*', '[^']*', |_CODE = )'([a-z]+_[a-z_]+)'/g,
  /\bproblem\((?:[^()]|\([^()]*\))*,\s*'([a-z]+_[a-z_]+)',?\s*\)/g,
]

const codesIn = (source: string) =>
  IN_SOURCE.flatMap((pattern) => [...source.matchAll(pattern)].map(([, code = '']) => code))

const used = new Set(
  globSync('{server/src/gateway,relay/src}/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => codesIn(readFileSync(join(root, file), 'utf8')))
    .filter((code) => code !== UNREAD),
)

test('docs/reference/errors.md lists every code of the API of the models, and no other', () => {
  expect(used.size).toBeGreaterThan(40)
  expect([...documented].toSorted()).toEqual([...used].toSorted())
})

test('docs/reference/errors.md lists every status of the API of the console', () => {
  const statuses = new Set(Object.values(ERRORS).map(({ status }) => status))
  const listed = [...ofConsole.matchAll(/^\| (\d{3}) \|/gm)].map(([, status]) => Number(status))
  expect([200, ...listed]).toEqual([...statuses].toSorted((a, b) => a - b))
})
