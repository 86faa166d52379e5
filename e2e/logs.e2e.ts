import OpenAI from 'openai'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { channelEndpoints, userEndpoints } from '@tollgate/contract'
import { answerChat, answerError } from '../server/testing/fakes/scripted-upstream.ts'
import { FRAME_TEXTS } from './frame-texts.ts'
import { openOneWorld } from './one-world.ts'
import { sharePage } from './shared-page.ts'
import { heading, signedIn, tokenOf } from './steps.ts'
import { TEXTS } from './texts.ts'
import { expectTranslated } from './translations.ts'
import type { Session, World } from './world.ts'

const OWN_TEXTS = {
  en: {
    named: 'English',
    type: 'Type',
    types: ['All types', 'Top-up', 'Request', 'Admin', 'System'],
    consume: 'Request',
    model: 'Model name',
    token: 'Token name',
    username: 'Username',
    channel: 'Channel ID',
    search: 'Search',
    week: '7 d',
    exact: 'Custom',
    from: 'From',
    timeError: 'Use YYYY-MM-DD HH:mm:ss.',
    channelError: 'Enter a channel ID: a whole number of 1 or more.',
    clear: 'Clear all',
    remove: (filter: string) => `Remove the filter ${filter}`,
    sum: (quota: string) => `Spend with these filters: ${quota}`,
    charged: '38 units = $0.000076',
    held: /^([\d,]+) reserved → 38 charged → ([\d,]+) released$/,
    heldBack: /^([\d,]+) reserved → \1 released$/,
    lost: /^2 attempts, \d+ ms lost$/,
    refused: 'the provider rejected this request',
    drain: /kept reading/,
    busy: 'too many requests: overloaded <i>now</i>',
    usedUp: 'the quota ran out',
    attempts: [
      'channel 9 late: no response within 310 ms',
      'late: another channel answered first',
      'not charged, though the provider may bill it: 9 prompt and 0 completion tokens',
      'hedge: the channel before it was late',
    ],
    quotaEdit: /^An administrator changed the quota from /,
    copyJson: 'Copy as JSON',
    failed: 'The receipt could not be loaded',
  },
  zh: {
    named: '中文',
    type: '类型',
    types: ['全部类型', '充值', '消费', '管理', '系统'],
    consume: '消费',
    model: '模型名称',
    token: '令牌名称',
    username: '用户名',
    channel: '渠道 ID',
    search: '查询',
    week: '7 天',
    exact: '自定义',
    from: '起始时间',
    timeError: '时间格式：YYYY-MM-DD HH:mm:ss',
    channelError: '渠道 ID 应为正整数',
    clear: '全部清除',
    remove: (filter: string) => `移除筛选条件 ${filter}`,
    sum: (quota: string) => `当前筛选的消费额度：${quota}`,
    charged: '38 额度 = $0.000076',
    held: /^预扣 ([\d,]+) → 结算 38 → 退回 ([\d,]+)$/,
    heldBack: /^预扣 ([\d,]+) → 退回 \1$/,
    lost: /^2 次尝试，损失 \d+ ms$/,
    refused: '服务商拒绝了该请求',
    drain: /继续读取/,
    busy: '请求过于频繁：overloaded <i>now</i>',
    usedUp: '额度在响应途中用尽',
    attempts: [
      '渠道 9 late：310 ms 内无响应',
      '响应过慢，其他渠道已先返回',
      '未向任何人收费，但服务商可能计费：提示 9 tokens，补全 0 tokens',
      '前一渠道响应过慢，同时请求了此渠道',
    ],
    quotaEdit: /^管理员将用户额度从 /,
    copyJson: '复制为 JSON',
    failed: '账单明细加载失败',
  },
} as const

const receiptAnswer = z.looseObject({ data: z.looseObject({}) })

const HOSTILE = '<img src=x onerror=alert(1)>'
const HOSTILE_USER = '<b>{{x}}</b>'
const PASSWORD = 'a long password'
const PATIENCE = { timeout: 15_000 }

let world: World
let root: Session
let alice: Session

/** 10 prompt tokens and 5 × 4 completion tokens, × 1.25. */
const COST = 38

openOneWorld(async (opened) => {
  world = opened
  root = await signedIn(world)
  await addChannel('flaky', { models: 'gpt-4o', priority: 10 })
  await addChannel('steady', { models: `gpt-4o,${HOSTILE}`, priority: 0 })
  world.upstream.script('steady', answerChat())
  alice = await addUser('alice')
  const hostile = await addUser(HOSTILE_USER)

  const client = await clientOf(alice, 'web')
  world.upstream.script('flaky', answerChat())
  await ask(client, 'gpt-4o')
  world.upstream.script(
    'flaky',
    answerError(429, { message: 'overloaded <i>now</i>' }, { 'retry-after': '30' }),
  )
  await ask(client, 'gpt-4o')
  // The Retry-After keeps the flaky channel in cooldown.
  world.upstream.script('steady', answerError(400, { message: 'max_tokens is too large' }))
  await expect(ask(client, 'gpt-4o')).rejects.toThrow()
  world.upstream.script('steady', answerChat())
  await ask(await clientOf(hostile, '<i>name</i>'), HOSTILE)
})

async function addChannel(name: string, row: { models: string; priority: number }) {
  await world.asRoot(channelEndpoints.createChannels, {
    body: { type: 8, name, key: 'sk-1', base_url: world.upstream.baseUrl(name), ...row },
  })
}

async function addUser(username: string): Promise<Session> {
  const { data } = await world.asRoot(userEndpoints.createUser, {
    body: { username, display_name: username, password: PASSWORD },
  })
  await world.asRoot(userEndpoints.updateUser, { body: { id: data.id, quota: 1_000_000 } })
  return signedIn(world, { username, password: PASSWORD })
}

async function clientOf(session: Session, token: string): Promise<OpenAI> {
  const apiKey = await tokenOf(world, session, { name: token, remain_quota: 500_000 })
  return new OpenAI({ apiKey, baseURL: `${world.server.url}/v1`, maxRetries: 0 })
}

const ask = (client: OpenAI, model: string) =>
  client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hello' }] })

const rowsOf = (page: Page) => page.locator('tr[data-row]')

async function openRow(page: Page, index: number) {
  await rowsOf(page).nth(index).getByRole('button', { expanded: false }).click()
  await page.getByRole('term').first().waitFor()
}

const fact = (page: Page, text: string | RegExp) =>
  page.getByRole('definition').getByText(text).first()

test('the texts are the same messages in both languages', () => expectTranslated(OWN_TEXTS))

// translations.ts proves the Chinese texts.
describe('the log', () => {
  const texts = TEXTS.en
  const own = OWN_TEXTS.en

  const pages = {
    root: sharePage(() => world.open({ session: root })),
    alice: sharePage(() => world.open({ session: alice })),
  }

  const openLog = async (who: keyof typeof pages, address = '/log') => {
    const { page } = await pages[who]()
    await page.goto(address)
    await heading(page, texts.pages.logs).waitFor()
    return page
  }

  test('an administrator sees the computation of the charge and every attempt by channel', async () => {
    const page = await openLog('root', '/log?username=alice&type=2')
    await rowsOf(page).nth(2).waitFor()
    await openRow(page, 1)
    const sum = page.getByRole('table', { name: texts.receipt }).getByRole('row')
    expect((await sum.last().innerText()).split('\t').at(-1)).toBe(own.charged)
    const held = own.held.exec(await fact(page, own.held).innerText())
    const [, before = '', back = ''] = held ?? []
    const units = (text: string) => Number(text.replaceAll(',', ''))
    expect(units(before) - units(back)).toBe(COST)
    await fact(page, own.lost).waitFor()
    const tried = page.getByRole('definition').getByRole('listitem')
    expect(await tried.allInnerTexts()).toEqual([
      expect.stringMatching(/flaky.*429[^]*overloaded <i>now<\/i>/),
      expect.stringMatching(/steady.*200/),
    ])
    await fact(page, own.busy).waitFor()
    expect(await fact(page, own.drain).count()).toBe(0)
    await page.getByRole('button', { name: own.copyJson }).click()
    const copied = async () => page.evaluate<string>('navigator.clipboard.readText()')
    await expect.poll(async () => (await copied()).startsWith('{')).toBe(true)
    expect(JSON.parse(await copied())).toMatchObject({ quota: COST, attempt_count: 2 })
  })

  test('a user sees the number of attempts, and no channel', async () => {
    const page = await openLog('alice', '/log?type=2')
    await rowsOf(page).nth(2).waitFor()
    expect(await rowsOf(page).count()).toBe(3)
    await openRow(page, 1)
    await fact(page, own.lost).waitFor()
    expect(await page.getByRole('main').innerText()).not.toMatch(/flaky|steady|overloaded/)
    expect(await page.getByLabel(own.username, { exact: true }).count()).toBe(0)
    expect(await page.getByLabel(own.channel, { exact: true }).count()).toBe(0)
  })

  test('the policy on disconnects is shown only after one', async () => {
    const page = await openLog('alice', '/log?type=2')
    await page.route(/receipt$/, async (route) => {
      const answer = receiptAnswer.parse(await (await route.fetch()).json())
      const data = { ...answer.data, end_reason: 'client_left' }
      await route.fulfill({ json: { ...answer, data } })
    })
    await openRow(page, 1)
    await fact(page, own.drain).waitFor()
  })

  test('a void shows what was held and why it was released', async () => {
    const page = await openLog('alice', '/log?type=2')
    await openRow(page, 0)
    await fact(page, own.heldBack).waitFor()
    await fact(page, own.refused).waitFor()
    expect(await page.getByRole('table', { name: texts.receipt }).count()).toBe(0)
  })

  test('failover and an early end are explained in a sentence, on the last row too', async () => {
    const page = await openLog('root', '/log?username=alice&type=2')
    const attempt = { channel: 9, channel_name: 'late', milliseconds: 310, rescued: false }
    const unbilled = { unbilled_prompt_tokens: 9, unbilled_completion_tokens: 0 }
    const attempts = [
      { ...attempt, ...unbilled, status: 0, reason: 'overtaken', hedged: false },
      { ...attempt, ...unbilled, unbilled_prompt_tokens: 0, status: 200, reason: '', hedged: true },
    ]
    await page.route(/receipt$/, async (route) => {
      const answer = receiptAnswer.parse(await (await route.fetch()).json())
      const data = { ...answer.data, attempts, end_reason: 'quota_used_up' }
      await route.fulfill({ json: { ...answer, data } })
    })
    await openRow(page, 2)
    await fact(page, own.usedUp).waitFor()
    const told = await page.getByRole('definition').getByRole('list').innerText()
    for (const text of own.attempts) expect(told).toContain(text)
    const line = `getComputedStyle(document.querySelector('td table td')).borderBottomWidth`
    expect(await page.evaluate(line)).toBe('1px')
  })

  test('filters and presets change the address and the rows, and the back button restores both', async () => {
    const page = await openLog('root', '/log?type=2')
    await rowsOf(page).nth(3).waitFor()
    await page.getByLabel(own.model, { exact: true }).fill('gpt-4o')
    await page.keyboard.press('Enter')
    await page.waitForURL(/model_name=gpt-4o/)
    await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(3)
    await page.getByText(own.sum('$0.000152')).waitFor()

    await page.getByRole('button', { name: own.week, exact: true }).click()
    await page.waitForURL(/range=week/)
    await page.getByLabel(own.username, { exact: true }).fill('nobody')
    await page.getByRole('button', { name: own.search, exact: true }).click()
    await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(0)
    expect(new URL(page.url()).search).toBe('?type=2&model_name=gpt-4o&range=week&username=nobody')

    await page.goBack()
    await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(3)
    await page.goBack()
    await expect.poll(() => new URL(page.url()).searchParams.get('range')).toBe(null)
    await page.getByRole('button', { name: own.remove(`${own.model}`), exact: false }).click()
    await page.waitForURL((url) => !url.search.includes('model_name'))
    await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(4)
    await page.getByRole('button', { name: own.clear }).click()
    await page.waitForURL((url) => url.search === '')
    const types = page.getByLabel(own.type, { exact: true })
    expect(await types.getByRole('option').allTextContents()).toEqual(own.types)
    await types.selectOption({ label: own.consume })
    await page.waitForURL(/type=2/)
  })

  test('an invalid exact time is reported, and a valid one filters the rows', async () => {
    const page = await openLog('root')
    await page.getByRole('button', { name: own.exact, exact: true }).click()
    await page.getByLabel(own.from, { exact: true }).fill('yesterday')
    await page.getByText(own.timeError).waitFor()
    await page.getByLabel(own.from, { exact: true }).fill('2099-01-01 00:00:00')
    await page.getByRole('button', { name: own.search, exact: true }).click()
    await page.waitForURL(/range=custom&start_timestamp=40/)
    await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(0)
  })

  test('an invalid channel is reported, and not requested', async () => {
    const page = await openLog('root')
    await rowsOf(page).first().waitFor()
    await page.getByLabel(own.channel, { exact: true }).fill('relay')
    await page.getByText(own.channelError).waitFor()
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).search).toBe('')
    await page.getByLabel(own.channel, { exact: true }).fill('9999')
    await page.keyboard.press('Enter')
    await page.waitForURL(/channel=9999/)
    await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(0)
  })

  test('names of any kind are shown as text', async () => {
    const page = await openLog('root')
    const dialogs: string[] = []
    page.on('dialog', (dialog) => dialogs.push(dialog.message()))
    await page.getByLabel(own.model, { exact: true }).fill(HOSTILE)
    await page.keyboard.press('Enter')
    await expect.poll(() => rowsOf(page).count(), PATIENCE).toBe(1)
    await openRow(page, 0)
    const text = await page.getByRole('main').innerText()
    for (const name of [HOSTILE, HOSTILE_USER, '<i>name</i>']) expect(text).toContain(name)
    expect(await page.locator('main img[src=x]').count()).toBe(0)
    expect(dialogs).toEqual([])
  })

  test("changes to an account are shown in the reader's language", async () => {
    const page = await openLog('alice', '/log?type=3')
    await openRow(page, 0)
    await fact(page, own.quotaEdit).waitFor()
    await page.getByRole('button', { name: FRAME_TEXTS.en.language }).click()
    await page.getByRole('menuitemradio', { name: OWN_TEXTS.zh.named }).click()
    await fact(page, OWN_TEXTS.zh.quotaEdit).waitFor()
    expect(await page.getByText(own.quotaEdit).count()).toBe(0)
  })

  test('a text of 10 000 characters leaves the page width unchanged', async () => {
    const page = await world.open({
      session: root,
      viewport: { width: 390, height: 800 },
    })
    const content = '长x'.repeat(5000)
    await page.route(/\/api\/log\//, async (route) => {
      const response = await route.fetch()
      const answer = await response.text()
      await route.fulfill({
        response,
        body: answer.replaceAll(/"content":"[^"]*"/g, `"content":"${content}"`),
      })
    })
    await page.goto('/log?type=3')
    await rowsOf(page).first().waitFor()
    await rowsOf(page).first().getByText(own.types[3], { exact: true }).waitFor()
    await openRow(page, 0)
    await page.getByRole('definition').getByText(content).waitFor()
    const overflow = 'document.documentElement.scrollWidth - window.innerWidth'
    expect(await page.evaluate<number>(overflow)).toBeLessThanOrEqual(0)
  })

  test('a receipt that failed to load says so and can be loaded again', async () => {
    const page = await openLog('root', '/log?type=2')
    const path = /\/api\/log\/\d+\/receipt$/
    await page.route(path, (route) => route.fulfill({ status: 500, body: '' }))
    await rowsOf(page).first().getByRole('button', { expanded: false }).click()
    await page.getByText(own.failed).waitFor()
    await page.unroute(path)
    await page.getByRole('main').getByRole('button', { name: texts.tryAgain }).click()
    await page.getByRole('term').first().waitFor()
  })

  test('the print has the table only, black on white, with its filters', async () => {
    const page = await world.open({ session: root, theme: 'dark' })
    await page.goto('/log?type=2&model_name=gpt-4o')
    await rowsOf(page).nth(2).waitFor()
    await openRow(page, 1)
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await page.getByText('/log?type=2&model_name=gpt-4o · ').waitFor()
    for (const hidden of ['header', 'footer', 'main form', 'main nav']) {
      expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false)
    }
    expect(await page.getByRole('table', { name: texts.receipt }).isVisible()).toBe(true)
    const look = await page.evaluate<string[]>(`['color', 'backgroundColor'].map(
      (name) => getComputedStyle(document.querySelector('main table td'))[name])`)
    expect(look[0]).toBe('rgb(0, 0, 0)')
    expect(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).toBe(
      'rgb(255, 255, 255)',
    )
  })
})
