import { text } from 'node:stream/consumers'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { channelEndpoints, topUpEndpoints, userEndpoints } from '@tollgate/contract'
import { openOneWorld } from './one-world.ts'
import { healthyProvider, usageOf } from './provider.ts'
import { heading, signedIn, tokenOf } from './steps.ts'
import { type Language, TEXTS } from './texts.ts'
import { expectTranslated } from './translations.ts'
import type { Session, World } from './world.ts'

const OWN_TEXTS = {
  en: {
    statements: 'Statements and billing',
    statement: 'Statement',
    byModel: 'Usage by model',
    byDay: 'Usage by day',
    credits: 'Top-ups and gifts',
    adjustment: 'Adjustment',
    topUp: 'Top-up',
    total: 'Total',
    csv: 'Download CSV',
    printed: 'Statement of alice (account 2)',
  },
  zh: {
    statements: '账单与扣费明细',
    statement: '月度账单',
    byModel: '按模型统计',
    byDay: '按天统计',
    credits: '充值与赠送',
    adjustment: '调整',
    topUp: '充值',
    total: '合计',
    csv: '下载 CSV',
    printed: 'alice（账户 2）的账单',
  },
} as const

const LANGUAGES: readonly Language[] = ['en', 'zh']
const MODEL = 'gpt-4o'
const ALICE = { username: 'alice', password: 'a long password' }

let world: World
let alice: Session

openOneWorld(async (opened) => {
  world = opened
  world.upstream.script('main', healthyProvider(usageOf(1204, 800, 312)))
  const channel = { type: 8, name: 'main', key: 'sk-1', models: MODEL }
  const base_url = world.upstream.baseUrl('main')
  await world.asRoot(channelEndpoints.createChannels, { body: { ...channel, base_url } })
  const { data } = await world.asRoot(userEndpoints.createUser, { body: ALICE })
  await world.asRoot(userEndpoints.updateUser, { body: { id: data.id, quota: 1_000_000 } })
  const grant = { user_id: data.id, quota: 500_000, remark: 'invoice 7' }
  await world.asRoot(topUpEndpoints.grantQuota, { body: grant })
  alice = await signedIn(world, ALICE)
  const apiKey = await tokenOf(world, alice, { name: 'web', unlimited_quota: true })
  const client = new OpenAI({ apiKey, baseURL: `${world.server.url}/v1`, maxRetries: 0 })
  await client.chat.completions.create({
    model: MODEL,
    messages: [{ role: 'user', content: 'word '.repeat(1200) }],
  })
})

test('the texts are the same messages in both languages', () =>
  expectTranslated(OWN_TEXTS, [OWN_TEXTS.en.printed]))

test.each(LANGUAGES)(
  'a statement adds up, is saved as CSV, and prints without the frame, in %s',
  async (language) => {
    const texts = TEXTS[language]
    const own = OWN_TEXTS[language]
    const page = await world.open({ language, session: alice })
    await page.goto('/topup')
    await page.getByRole('link', { name: own.statements }).click()
    await heading(page, texts.pages.billing).waitFor()

    const table = (name: string) => page.getByRole('table', { name })
    const total = (name: string) =>
      table(name).getByRole('row', { name: own.total }).getByRole('cell').allTextContents()
    await table(own.byModel).getByRole('row', { name: MODEL }).waitFor()
    const charged = await total(own.byModel)
    expect(charged).toEqual(['$0.00513', '1', '1,204', '312'])
    expect(await total(own.byDay)).toEqual(charged)
    const credits = table(own.credits).getByRole('row')
    expect(await credits.nth(1).textContent()).toContain(`${own.topUp}invoice 7$1.00`)
    expect(await credits.nth(2).textContent()).toContain(`${own.adjustment}$2.00`)
    const sheet = page.getByRole('region', { name: own.statement, exact: true })
    expect(await sheet.locator('dd').allTextContents()).toEqual([
      '$0.00',
      '$3.00',
      '-$0.00513',
      '$2.99487',
    ])

    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: own.csv }).click()
    const lines = (await text(await (await saving).createReadStream())).trimEnd().split('\r\n')
    const units = lines.slice(1).map((line) => Number(line.split(',').at(-1)))
    expect(units.reduce((sum, unit) => sum + unit, 0)).toBe(1_500_000 - 2565)

    await page.emulateMedia({ media: 'print' })
    await page.getByText(own.printed).waitFor()
    expect(await page.getByRole('banner').isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: own.csv }).isVisible()).toBe(false)
    expect(await table(own.byDay).isVisible()).toBe(true)
  },
)
