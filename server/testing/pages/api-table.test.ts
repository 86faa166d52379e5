import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { apiPage, apiRows, TESTED_IN } from './api-table.ts'

const root = join(import.meta.dirname, '../../..')

const TEXTS = 'getStatus getNotice getAbout getHomePageContent getTerms'.split(' ')
const OPEN = [...TEXTS, 'listPublicCatalog', 'getAvailability']

const WITHOUT_INPUT = [
  TEXTS.join(' '),
  'logout createOAuthState getSelf deleteSelf createAccessToken getInviteCode getDashboard',
  'listAvailableModels getSecondFactor beginTotp disableTotp createRecoveryCodes beginPasskey',
  'getConfirmation beginPasskeyConfirmation listSessions endOtherSessions getPartnerPlan',
  'getReminder listRedemptionBatches listCatalogueModels getTestProgress deleteDisabledChannels',
  'exportChannels exportChannelKeys updateBalances listModels listShutdowns listGroups listCatalog',
  'listPublicCatalog getAvailability listOptions listUnconfirmedOptions getManaged',
  'listUnpricedModels listPriceFeeds listBillSources listAlerts testAlerts',
  'getBillingSubscription getBillingUsage',
].flatMap((names) => names.split(' '))

const SUITES = 'access access-matrix bad-fields bad-input'
  .split(' ')
  .map((name) => `${name}.test.ts`)

describe('docs/reference/api.md', () => {
  const rows = apiRows(TESTED_IN.map((folder) => join(root, folder)))

  test('every endpoint has a test of its success', () => {
    expect(rows.filter(({ happy }) => happy === 'MISSING').map(({ name }) => name)).toEqual([])
  })

  test('only endpoints without input have no invalid test, only open ones no forbidden one', () => {
    const names = (column: 'invalid' | 'forbidden') =>
      rows.filter((row) => row[column] !== 'yes').map(({ name }) => name)
    expect(names('invalid')).toEqual(WITHOUT_INPUT)
    expect(names('forbidden')).toEqual(OPEN)
  })

  test('is what `npm run docs:api` writes', () => {
    expect(readFileSync(join(root, 'docs/reference/api.md'), 'utf8')).toBe(apiPage(rows))
  })

  /**
   * The columns in which a test is reported missing after `change` is applied to a suite's file.
   */
  const missingIn = (file: string, change: (source: string) => string) => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-api-table-'))
    for (const name of SUITES) {
      const source = readFileSync(join(root, 'server/src/admin', name), 'utf8')
      writeFileSync(join(folder, name), name === file ? change(source) : source)
    }
    const changed = apiRows([folder]).filter(({ access }) => access !== 'relay_key')
    rmSync(folder, { recursive: true })
    return (['invalid', 'forbidden'] as const).filter((column) =>
      changed.some((row) => row[column] === 'MISSING'),
    )
  }

  test.each([
    ['bad-input.test.ts', 'withBody', 'invalid'],
    ['bad-fields.test.ts', 'withBody', 'invalid'],
    ['bad-fields.test.ts', 'withQuery', 'invalid'],
    ['bad-fields.test.ts', 'withParams', 'invalid'],
    ['access.test.ts', 'changing', 'forbidden'],
    ['access-matrix.test.ts', 'endpoints', 'forbidden'],
  ])('%s must go over %s, for the column %s', (file, list, column) => {
    const all = `.each(${list})`
    expect(missingIn(file, (source) => source)).toEqual([])
    expect(missingIn(file, () => '')).toEqual([column])
    for (const [from, to] of [
      [all, `.each(${list}.slice(1))`],
      [all, `.skip${all}`],
      [all, '.each(others)'],
      ['testing/worlds/endpoint-lists.ts', 'testing/other-lists.ts'],
    ] as const) {
      expect(
        missingIn(file, (source) => source.replaceAll(from, to)),
        to,
      ).toEqual([column])
    }
  })

  test('lists of refusals prove nothing, nor do the methods of a type', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-api-table-'))
    const call = `test('x', () => { expect(call('GET', '/api/notice').data) })`
    for (const name of ['still-in', 'refusals'])
      writeFileSync(join(folder, `${name}.test.ts`), call)
    const typed = `const ask = (method: 'POST' | 'DELETE', id: number) => call(method, \`/api/token/\${id}\`)`
    writeFileSync(join(folder, 'x.test.ts'), `${typed}\ntest('x', () => { expect(ask().data) })`)
    expect(apiRows([folder]).filter(({ happy }) => happy === 'yes')).toEqual([])
    rmSync(folder, { recursive: true })
  })

  test('a test counts only for the method and path it names, and if it checks the outcome', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-api-table-'))
    const happy = (source: string) => {
      writeFileSync(join(folder, 'x.test.ts'), source)
      return apiRows([folder])
        .filter((row) => row.happy === 'yes')
        .map(({ name }) => name)
    }
    const get = `call('GET', \`/api/token/\${token.id}\`)`
    expect(happy(`test('x', () => { expect((${get}).success).toBe(true) })`)).toEqual(['getToken'])
    expect(happy(`test('x', () => { ${get} })`)).toEqual([])
    expect(happy(`expect((${get}).success).toBe(true)`)).toEqual([])
    expect(happy(`test('x', () => { expect(call('PUT', '/api/token/')).toBe(1).data })`)).toEqual([
      'updateToken',
    ])
    const wrapped = `const sign = (name) => get(\`/api/oauth/\${name}?a=b\`)\n`
    expect(happy(`${wrapped}test('x', () => { expect(sign('lark').data) })`)).toEqual([
      'signInByLark',
    ])
    rmSync(folder, { recursive: true })
  })
})
