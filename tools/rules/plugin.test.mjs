import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const OXLINT = path.join(
  path.dirname(createRequire(import.meta.url).resolve('oxlint/package.json')),
  'bin/oxlint',
)
const CONFIG = {
  jsPlugins: [path.join(import.meta.dirname, 'plugin.mjs')],
  plugins: ['import'],
  categories: { correctness: 'off' },
  rules: {
    'tollgate/layers': 'error',
    'tollgate/explained-cast': 'error',
    'tollgate/quota-only-in-ledger': 'error',
    'tollgate/chinese-only-in-messages': 'error',
    'tollgate/prose': 'error',
    'import/no-cycle': 'error',
  },
}
let root

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'tollgate-lint-'))
  plant('.oxlintrc.json', JSON.stringify(CONFIG))
})

afterEach(() => rmSync(root, { recursive: true }))

function plant(file, text) {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  writeFileSync(path.join(root, file), text)
}

function lint(...options) {
  return new Promise((resolve) => {
    execFile(process.execPath, [OXLINT, ...options], { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}

/**
 * Plants the files of all rows next to each other, and returns the names of the rows in whose file
 * the linter finds no such fault. A run per row would take ten times as long.
 */
async function missedOf(rows, rule) {
  const planted = rows.map(([name, file, text, message = ''], index) => {
    const own = file.replace(/\ba\.ts$/, `a${index}.ts`)
    plant(own, text)
    return { name, own, message }
  })
  const { output } = await lint('--format=unix')
  const lines = output.split('\n')
  const isFound = ({ own, message }) =>
    lines.some((line) => [`${own}:`, rule, message].every((part) => line.includes(part)))
  return planted.filter((row) => !isFound(row)).map(({ name }) => name)
}

const forbidden = [
  ['the gateway importing admin', 'server/src/gateway/a.ts', `import '../admin/users/b.ts'`],
  ['admin importing jobs', 'server/src/admin/users/a.ts', `import '../../jobs/b.ts'`],
  ['a pure rule importing the relay', 'server/src/domain/a.ts', `import '@tollgate/relay'`],
  ['a pure rule importing a text', 'server/src/domain/a.ts', `import '../text/b.ts'`],
  ['the store importing the ledger', 'server/src/store/a.ts', `import '../ledger/b.ts'`],
  ['the ledger speaking HTTP', 'server/src/ledger/a.ts', `import 'undici'`],
  ['HTTP code doing SQL', 'server/src/http/a.ts', `import { sql } from 'kysely'`],
  ['the HTTP/1.1 codec importing HTTP code', 'server/src/http1/a.ts', `import '../http/b.ts'`],
  ['the HTTP/1.1 codec opening sockets', 'server/src/http1/a.ts', `import 'node:net'`],
  ['a layer importing the composition root', 'server/src/settings/a.ts', `import '../main.ts'`],
  ['the relay importing the server', 'relay/src/a.ts', `import '../../server/src/domain/b.ts'`],
  ['the contract using Node', 'contract/src/a.ts', `import 'node:fs'`],
  ['a descriptor importing code', 'relay/src/providers/x/descriptor.ts', `import './codec.ts'`],
  ['one feature importing another', 'console/src/features/a/a.ts', `import '../b/b.ts'`],
  ['a primitive importing a feature', 'console/src/ui/a.ts', `export * from '../features/b/b.ts'`],
  ['the console importing codecs', 'console/src/features/a/a.ts', `import '@tollgate/relay'`],
  [
    'a room importing one above',
    'server/src/gateway/intake/a.ts',
    `import type { B } from '../routing/b.ts'`,
  ],
  [
    'a room importing the story',
    'server/src/gateway/realtime/a.ts',
    `import '../relay-request.ts'`,
  ],
  ['the ground importing a room', 'server/src/gateway/errors.ts', `import './intake/b.ts'`],
  ['a room nobody knows', 'server/src/gateway/extra/a.ts', `import '../errors.ts'`],
  ['form importing a wire', 'relay/src/form/a.ts', `import '../wires/b.ts'`],
  ['a wire importing another', 'relay/src/wires/gemini/a.ts', `import '../openai-responses/b.ts'`],
  ['a room of the relay nobody knows', 'relay/src/extra/a.ts', `import '../form/b.ts'`],
  ['a dynamic import across', 'console/src/lib/a.ts', `void import('../app/b.ts')`],
]

test('imports against the arrows are red', async () => {
  expect(await missedOf(forbidden, 'tollgate(layers)')).toEqual([])
})

test('imports along the arrows are green', async () => {
  plant('server/src/gateway/a.ts', `import '../ledger/b.ts'\nimport '@tollgate/relay'`)
  plant('server/src/ledger/b.ts', `import '../store/c.ts'`)
  plant('server/src/domain/d.ts', `import '@tollgate/contract/prices'`)
  plant('server/src/store/c.ts', `import 'kysely'\nimport '@tollgate/contract'`)
  plant(
    'server/src/gateway/delivery/b.ts',
    `import type { A } from '../context.ts'\nimport '../attempts/c.ts'\nimport '../errors.ts'`,
  )
  plant(
    'relay/src/wires/gemini/a.ts',
    `import '../../form/b.ts'\nimport '../openai-chat/c.ts'\nimport '../../relay-request.ts'`,
  )
  plant('server/src/gateway/context.ts', `import type { B } from './local-answers/d.ts'`)
  plant('console/src/features/x/a.ts', `import '../../ui/b.ts'\nimport './c.ts'`)
  plant('relay/src/providers/x/codec.test.ts', `import '../../testing/conformance.ts'`)
  expect(await lint()).toMatchObject({ code: 0 })
})

test('a cycle between files is red', async () => {
  plant('relay/src/a.ts', `import { b } from './b.ts'\nexport const a = () => b`)
  plant('relay/src/b.ts', `import { a } from './a.ts'\nexport const b = () => a`)
  const { code, output } = await lint()
  expect(code).toBe(1)
  expect(output).toContain('no-cycle')
})

const writes = [
  ['an update', `db.updateTable('users').set({ quota: 5 }).where('id', '=', 1)`],
  ['an update by callback', `db.updateTable('tokens').set((eb) => ({ remain_quota: eb.val(1) }))`],
  ['an update by name', `db.updateTable('users').set('request_count', 1)`],
  [
    'an update after its condition',
    `db.updateTable('users').where('id', '=', 1).set({ used_quota: 1 })`,
  ],
  [
    'an upsert',
    `db.insertInto('users').values({}).onConflict((oc) => oc.doUpdateSet({ quota_leased: 0 }))`,
  ],
  ['an update of a budget', `db.updateTable('tokens').set({ budget_quota: 5 })`],
  ['SQL that changes what was spent', 'sql`update token_budgets set spent = 0`'],
  ['an update of earnings', `db.updateTable('users').set({ invite_balance: 5 })`],
  ['SQL that pays earnings out', 'sql`update users set invite_balance = 0`'],
  ['SQL in a template', 'sql`update users set quota = quota + ${1}`'],
  ['an update of many rows', `bulkUpdate('users', { id: 'bigint', quota: 'bigint' }, ['id'])`],
  ['an insertion of a lease', `db.insertInto('quota_leases').values({ amount: 5 })`],
  ['a deletion of many leases', `bulkDelete('quota_leases', { run: 'text' })`],
  ['an edit of the books', `db.updateTable('ledger_days').set({ requests: 5 })`],
  ['SQL in a string', `run('UPDATE "tokens" SET used_quota = 1')`],
]

test('quota columns written outside the ledger are red', async () => {
  const rows = writes.map(([name, code]) => [name, 'server/src/admin/users/a.ts', code])
  expect(await missedOf(rows, 'tollgate(quota-only-in-ledger)')).toEqual([])
})

test('the ledger writes quota columns, and other code the rest, and zero at the start', async () => {
  plant('server/src/ledger/a.ts', `db.updateTable('users').set({ quota: 5 })`)
  plant(
    'server/src/admin/users/a.ts',
    `db.updateTable('users').set({ name: 'x' }).where('quota', '>', 1)
     db.insertInto('tokens').values({ used_quota: 0 })
     bulkUpdate('users', { id: 'bigint', status: 'bigint' }, ['id'])
     bulkInsert('sessions', { user_id: 'bigint' })
     sql\`select quota from users where id = \${1}\``,
  )
  expect(await lint()).toMatchObject({ code: 0 })
})

test('Chinese text outside a messages file is red, in a comment or a messages file green', async () => {
  plant('console/src/features/a/messages.ts', `export const zh = { title: '令牌' }`)
  plant('console/src/features/a/b.ts', `// 令牌\nexport const b = 1`)
  expect(await lint()).toMatchObject({ code: 0 })

  plant('console/src/features/a/page.tsx', `export const Page = () => <p>令牌</p>`)
  const { code, output } = await lint()
  expect(code).toBe(1)
  expect(output).toContain('tollgate(chinese-only-in-messages)')
})

const poorProse = [
  ['a doc comment', `/** Of the hold. */\nexport const a = 1`, 'name the thing first'],
  [
    'a later line of a comment',
    `// The hold is raised.\n// Whose hold is unknown.\nexport const a = 1`,
    'name the owner first',
  ],
  ['a comment at the end', `export const a = 1 // kept unseen`, 'write "hidden"'],
  ['a comment too wide', `/**\n * ${'word '.repeat(20)}\n */\nexport const a = 1`, 'columns'],
  ['a text', `export const a = { en: { list: 'Nobody yet.' } }`, 'say what does not happen'],
  ['a template', 'export const a = (x) => ({ en: `Budgets begin anew ${x}` })', 'write "again"'],
]

test('poor prose is red', async () => {
  const rows = poorProse.map(([name, code, message]) => [name, 'server/src/a.ts', code, message])
  expect(await missedOf(rows, 'tollgate(prose)')).toEqual([])
})

test('a row without a fault is missed', async () => {
  expect(await missedOf([['none', 'server/src/a.ts', '']], 'tollgate(layers)')).toEqual(['none'])
})

test('plain prose, directives, addresses, code and texts for programs are green', async () => {
  plant(
    'server/src/a.ts',
    `/** The part of the hold that \`Of what\` pays for.
 * As a rule, ${'x'.repeat(80)}.
 * https://example.org/${'x'.repeat(100)}
 */
export const a = { en: 'No friends yet.', zh: 'x', kind: 'Of beside' }
// oxlint-disable-next-line eslint/no-console -- ${'x'.repeat(80)}
export const b = '${'word '.repeat(30)}'`,
  )
  plant('server/src/a.test.ts', `export const a = { en: 'Nobody yet.' }`)
  expect(await lint()).toMatchObject({ code: 0 })
})

test('a cast without its reason is red, with its reason or as const green', async () => {
  plant(
    'server/src/a.ts',
    `export const a = [1] as const\n// Safe because the row was just read.\nexport const b = a as unknown`,
  )
  expect(await lint()).toMatchObject({ code: 0 })

  plant('server/src/b.ts', `export const b = JSON.parse('1') as number`)
  const { code, output } = await lint()
  expect(code).toBe(1)
  expect(output).toContain('tollgate(explained-cast)')
})
