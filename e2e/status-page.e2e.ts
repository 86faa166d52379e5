import { expect, test } from 'vitest'
import { answerChat } from '../server/testing/fakes/scripted-upstream.ts'
import { changeText } from './intercept.ts'
import { openOneWorld } from './one-world.ts'
import { askModel, heading, signedIn, tokenOf } from './steps.ts'
import { TEXTS } from './texts.ts'

const world = openOneWorld(async () => {
  await world.addChannel('secret-main', 'gpt-4o,o3', answerChat())
  await askModel(world, await tokenOf(world, await signedIn(world), 'web'), 'gpt-4o')
})

test('visitors read the status of models only while it is public', async () => {
  const texts = TEXTS.en
  await world.setOption('PublicStatusEnabled', false)
  const page = await world.open()
  await page.goto('/system-status')
  await heading(page, texts.pages.login).waitFor()
  const root = await world.open({ session: await signedIn(world) })
  await root.goto('/system-status')
  await root.getByText('The status page is off').waitFor()

  await world.setOption('PublicStatusEnabled', true)
  await world.setOption('Notice', 'Maintenance **tonight**')
  await page.goto('/about')
  await page
    .getByRole('contentinfo')
    .getByRole('link', { name: texts.pages.status, exact: true })
    .click()
  await heading(page, texts.pages.status).waitFor()
  await page.getByText('All models are available.').waitFor()
  const row = (model: string) => page.getByRole('listitem').filter({ hasText: model })
  await row('gpt-4o').getByRole('img', { name: '100 % answered in 90 days' }).waitFor()
  await row('o3').getByRole('img', { name: 'no requests in 90 days' }).waitFor()
  await row('o3').getByText('untested', { exact: true }).waitFor()
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
  await row('gpt-4o').getByText('no requests').waitFor()
  expect(await today.getAttribute('aria-valuetext')).toMatch('no requests')
  expect(await page.content()).not.toContain('secret-main')
  await world.setOption('Notice', '')
})

test('a tapped day stays until the next tap', async () => {
  await world.setOption('PublicStatusEnabled', true)
  const page = await world.open({ isPhone: true })
  await page.goto('/system-status')
  const row = page.getByRole('listitem').filter({ hasText: 'gpt-4o' })
  const bars = row.getByRole('img')
  const { width = 0 } = (await bars.boundingBox()) ?? {}
  await bars.tap({ position: { x: width - 2, y: 10 } })
  await expect.poll(() => row.textContent()).toMatch(/2\d{3}.*: 100\s%/)
  await page.getByText('All models are available.').tap()
  await row.getByText('100 % answered in 90 days').waitFor()
})

test('models that nobody requested are not said to be available', async () => {
  await world.setOption('PublicStatusEnabled', true)
  const page = await world.open()
  await changeText(page, '**/api/availability', (text) =>
    text.replaceAll('"healthy"', '"untested"'),
  )
  await page.goto('/system-status')
  await page.getByText('No model was requested recently.').waitFor()
  expect(await page.getByText('All models are available.').count()).toBe(0)
})
