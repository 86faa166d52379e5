import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { channelEndpoints, optionEndpoints } from '@tollgate/contract'
import { answerChat } from '../server/testing/fakes/scripted-upstream.ts'
import { openOneWorld } from './one-world.ts'
import { heading, signedIn, tokenOf } from './steps.ts'
import { TEXTS } from './texts.ts'
import { expectTranslated } from './translations.ts'

const OWN_TEXTS = {
  en: {
    healthy: 'All models are available.',
    unrequested: 'No model was requested recently.',
    share: '100 % answered in 90 days',
    none: 'no requests in 90 days',
    notice: 'Notice',
    today: 'today',
    untested: 'untested',
    noneThatDay: 'no requests',
    off: 'The status page is off',
  },
  zh: {
    healthy: '所有模型运行正常。',
    unrequested: '近期没有模型被调用。',
    share: '90 天内 100 % 的请求成功',
    none: '90 天内没有请求',
    notice: '公告',
    today: '今天',
    untested: '未测试',
    noneThatDay: '没有请求',
    off: '状态页未开放',
  },
} as const

const setOption = (key: string, value: string) =>
  world.asRoot(optionEndpoints.updateOption, { body: { key, value } })

const world = openOneWorld(async () => {
  world.upstream.script('secret-main', answerChat())
  const base_url = world.upstream.baseUrl('secret-main')
  const channel = { type: 8, name: 'secret-main', key: 'sk-1', models: 'gpt-4o,o3', base_url }
  await world.asRoot(channelEndpoints.createChannels, { body: channel })
  const apiKey = await tokenOf(world, await signedIn(world), { name: 'web', unlimited_quota: true })
  const client = new OpenAI({ apiKey, baseURL: `${world.server.url}/v1`, maxRetries: 0 })
  await client.chat.completions.create({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'Hello' }],
  })
})

test('the texts are the same messages in both languages', () => expectTranslated(OWN_TEXTS))

test('visitors read the status of models only while it is public', async () => {
  const texts = TEXTS.en
  const own = OWN_TEXTS.en
  await setOption('PublicStatusEnabled', 'false')
  const page = await world.open()
  await page.goto('/system-status')
  await heading(page, texts.pages.login).waitFor()
  const root = await world.open({ session: await signedIn(world) })
  await root.goto('/system-status')
  await root.getByText(own.off).waitFor()

  await setOption('PublicStatusEnabled', 'true')
  await setOption('Notice', 'Maintenance **tonight**')
  await page.goto('/about')
  await page
    .getByRole('contentinfo')
    .getByRole('link', { name: texts.pages.status, exact: true })
    .click()
  await heading(page, texts.pages.status).waitFor()
  await page.getByText(own.healthy).waitFor()
  const row = (model: string) => page.getByRole('listitem').filter({ hasText: model })
  await row('gpt-4o').getByRole('img', { name: own.share }).waitFor()
  await row('o3').getByRole('img', { name: own.none }).waitFor()
  await row('o3').getByText(own.untested, { exact: true }).waitFor()
  const notice = page.getByText('Maintenance')
  expect(await notice.textContent()).toBe('Maintenance tonight')
  const bars = await row('gpt-4o').getByRole('img').boundingBox()
  await page.mouse.move((bars?.x ?? 0) + (bars?.width ?? 0) - 2, (bars?.y ?? 0) + 10)
  await expect.poll(() => row('gpt-4o').textContent()).toMatch(/2\d{3}.*[:：]\s?100\s%/)
  await page.mouse.move(0, 0)
  const today = row('gpt-4o').getByRole('slider')
  await today.focus()
  expect(await today.getAttribute('aria-valuetext')).toMatch(/100\s%/)
  await page.keyboard.press('ArrowLeft')
  await row('gpt-4o').getByText(own.noneThatDay).waitFor()
  expect(await today.getAttribute('aria-valuetext')).toMatch(own.noneThatDay)
  expect(await page.content()).not.toContain('secret-main')
  await setOption('Notice', '')
})

test('a tapped day stays until the next tap', async () => {
  await setOption('PublicStatusEnabled', 'true')
  const page = await world.open({ isPhone: true })
  await page.goto('/system-status')
  const row = page.getByRole('listitem').filter({ hasText: 'gpt-4o' })
  const bars = row.getByRole('img')
  const { width = 0 } = (await bars.boundingBox()) ?? {}
  await bars.tap({ position: { x: width - 2, y: 10 } })
  await expect.poll(() => row.textContent()).toMatch(/2\d{3}.*: 100\s%/)
  await page.getByText(OWN_TEXTS.en.healthy).tap()
  await row.getByText(OWN_TEXTS.en.share).waitFor()
})

test('models that nobody requested are not said to be available', async () => {
  await setOption('PublicStatusEnabled', 'true')
  const page = await world.open()
  await page.route('**/api/availability', async (route) => {
    const response = await route.fetch()
    const text = (await response.text()).replaceAll('"healthy"', '"untested"')
    await route.fulfill({ response, body: text })
  })
  await page.goto('/system-status')
  await page.getByText(OWN_TEXTS.en.unrequested).waitFor()
  expect(await page.getByText(OWN_TEXTS.en.healthy).count()).toBe(0)
})
