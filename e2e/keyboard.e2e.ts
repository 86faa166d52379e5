import { expect, test } from 'vitest'
import { channelEndpoints, NEVER, tokenEndpoints, userEndpoints } from '@tollgate/contract'
import { FRAME_TEXTS } from './frame-texts.ts'
import { ROOT_PASSWORD } from './installation.ts'
import { openOneWorld } from './one-world.ts'
import { healthyProvider, usageOf } from './provider.ts'
import { sharePage } from './shared-page.ts'
import { hasFocus, heading, message, rowOf, signedIn, tabTo } from './steps.ts'
import { TEXTS } from './texts.ts'

const texts = TEXTS.en

const world = openOneWorld()

test('a token is created, found, disabled and deleted without a mouse', async () => {
  const page = await world.open()
  const { keyboard } = page

  await page.goto('/login')
  await tabTo(page, page.getByLabel(texts.username))
  await keyboard.type('root')
  await keyboard.press('Tab')
  await keyboard.type(ROOT_PASSWORD)
  await keyboard.press('Enter')
  await heading(page, texts.pages.tokens).waitFor()

  await tabTo(page, page.getByRole('link', { name: texts.pages.tokenForm }).first())
  await keyboard.press('Enter')
  await heading(page, texts.pages.tokenForm).waitFor()
  await tabTo(page, page.getByLabel(texts.tokenName, { exact: true }))
  await keyboard.type('laptop')
  await keyboard.press('Control+Enter')
  await message(page, texts.tokenCreated).waitFor()

  await heading(page, 'Connect laptop').waitFor()
  await tabTo(page, page.getByRole('link', { name: texts.connected, exact: true }))
  await keyboard.press('Enter')
  await heading(page, texts.pages.tokens).waitFor()
  await page.locator('body').press('/')
  await expect.poll(() => hasFocus(page, page.getByRole('search').getByRole('textbox'))).toBe(true)
  await keyboard.type('laptop')
  await keyboard.press('Enter')
  await page.waitForURL(/keyword=laptop/)

  const row = rowOf(page, 'laptop')
  const dialog = page.getByRole('dialog')
  const actions = row.getByRole('button', { name: texts.actionsOf('laptop') })
  await tabTo(page, row)
  await keyboard.press('.')
  await chooseFromMenu(texts.disable)
  await row.getByText('disabled').waitFor()
  await expect.poll(() => hasFocus(page, row)).toBe(true)

  await tabTo(page, actions)
  await keyboard.press('Enter')
  await chooseFromMenu(texts.delete)
  await dialog.waitFor()
  const cancel = dialog.getByRole('button', { name: texts.cancel })
  await expect.poll(() => hasFocus(page, cancel)).toBe(true)
  await keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(page, actions)).toBe(true)

  await keyboard.press('Enter')
  await chooseFromMenu(texts.delete)
  await dialog.waitFor()
  await tabTo(page, dialog.getByRole('button', { name: 'Delete laptop' }))
  await keyboard.press('Enter')
  await row.waitFor({ state: 'detached' })
  await dialog.waitFor({ state: 'detached' })
  const focused = () => page.evaluate<string>('document.activeElement.tagName')
  await expect.poll(focused).not.toBe('BODY')

  async function chooseFromMenu(item: string) {
    const target = page.getByRole('menuitem', { name: item })
    await target.waitFor()
    for (let pressed = 0; pressed < 10 && !(await hasFocus(page, target)); pressed += 1) {
      await keyboard.press('ArrowDown')
    }
    await keyboard.press('Enter')
  }
})

test('a visitor registers and gets the first answer without a mouse', async () => {
  await world.addChannel('openai', 'gpt-4o', healthyProvider(usageOf(10, 0, 2)))
  await world.setOption('QuotaForNewUser', 500_000)
  const page = await world.open()
  const { keyboard } = page
  await page.goto('/')
  await tabTo(page, page.getByRole('main').getByRole('link', { name: 'Register' }))
  await keyboard.press('Enter')
  const fields = { Username: 'frida', Password: ROOT_PASSWORD, 'Confirm password': ROOT_PASSWORD }
  for (const [label, text] of Object.entries(fields)) {
    await tabTo(page, page.getByLabel(label, { exact: true }))
    await keyboard.type(text)
  }
  await keyboard.press('Enter')
  await page.getByText('Your account').waitFor()
  await tabTo(page, page.getByRole('main').getByRole('link', { name: 'Play' }))
  await keyboard.press('Enter')
  const question = page.getByRole('textbox', { name: 'Message' })
  await tabTo(page, question)
  await keyboard.type('Hello')
  // In Safari an input method confirms its candidate by this Enter, which must not send.
  await question.dispatchEvent('keydown', { key: 'Enter', keyCode: 229 })
  expect(await question.inputValue()).toBe('Hello')
  await keyboard.press('Enter')
  await page.getByText('Hello there').waitFor()
})

const rootPage = sharePage(async () => world.open({ session: await signedIn(world) }))

/** The token list, with an unlimited token of this name. */
async function openTokens(name: string) {
  await world.asRoot(tokenEndpoints.createToken, {
    body: { name, unlimited_quota: true, remain_quota: 0, expired_time: NEVER },
  })
  const { page } = await rootPage()
  await page.goto('/token')
  return page
}

test('g and a letter open a page, unless the role may not or a field is typed into', async () => {
  const page = await world.open({ session: await signedIn(world) })
  const { keyboard } = page
  await page.goto('/token')
  await heading(page, texts.pages.tokens).waitFor()
  await page.locator('body').press('g')
  await keyboard.press('u')
  await heading(page, texts.pages.users).waitFor()
  await keyboard.press('/')
  const search = page.getByRole('search').getByRole('textbox')
  await expect.poll(() => hasFocus(page, search)).toBe(true)
  await keyboard.type('gl')
  expect(new URL(page.url()).pathname).toBe('/user')
  await search.blur()
  await page.locator('body').press('?')
  await page.getByRole('dialog').getByText('g l', { exact: true }).waitFor()

  const ida = { username: 'ida', password: 'ida is here' }
  await world.asRoot(userEndpoints.createUser, { body: ida })
  const own = await world.open({ session: await signedIn(world, ida) })
  await own.goto('/token')
  await heading(own, texts.pages.tokens).waitFor()
  for (const key of ['g', 'c']) await own.locator('body').press(key)
  expect(new URL(own.url()).pathname).toBe('/token')
  for (const key of ['g', 'l']) await own.locator('body').press(key)
  await heading(own, texts.pages.logs).waitFor()
})

test("an icon's name is shown on hover and focus, until Escape", async () => {
  const page = await openTokens('phone')
  const button = page.getByRole('button', { name: texts.copyKey('phone') })
  const hint = page.getByText(texts.copyKey('phone'))
  await button.hover()
  await hint.waitFor()
  const ground = await page.evaluate(
    `getComputedStyle(document.querySelector('[class*="_hint_"][aria-hidden]')).backgroundColor`,
  )
  expect(ground).toMatch(/^rgb\(/)
  await page.keyboard.press('Escape')
  await hint.waitFor({ state: 'detached' })
  await page.mouse.move(0, 0)
  await tabTo(page, button)
  await hint.waitFor()
  await page.keyboard.press('Tab')
  await hint.waitFor({ state: 'detached' })
})

test('a menu of a row states whether it is open and returns the focus', async () => {
  const page = await openTokens('tablet')
  const button = page.getByRole('button', { name: texts.keyForms('tablet') })
  const forms = page.getByRole('menu', { name: texts.keyForms('tablet') })
  await expect.poll(() => button.getAttribute('aria-expanded')).toBe('false')
  await button.click()
  await forms.waitFor()
  expect(await button.getAttribute('aria-expanded')).toBe('true')
  await button.click()
  await forms.waitFor({ state: 'detached' })
  await button.press('ArrowDown')
  await forms.waitFor()
  await expect.poll(() => hasFocus(page, forms.getByRole('menuitem').first())).toBe(true)
  await page.keyboard.press('Escape')
  await expect.poll(() => hasFocus(page, button)).toBe(true)
  expect(await button.getAttribute('aria-expanded')).toBe('false')

  const row = rowOf(page, 'tablet')
  const actions = page.getByRole('menu', { name: texts.actionsOf('tablet') })
  await row.press('.')
  await actions.waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => hasFocus(page, row)).toBe(true)
  await row.press('.')
  await actions.waitFor()
})

test('channels are disabled together after a question, and back, without a mouse', async () => {
  for (const name of ['bulk-a', 'bulk-b']) await world.addChannel(name, 'o3')
  const statuses = async () => {
    const { data } = await world.asRoot(channelEndpoints.listChannels, { query: {} })
    return data.filter(({ name }) => name.startsWith('bulk-')).map(({ status }) => status)
  }
  const { page } = await rootPage()
  const { keyboard } = page
  await page.goto('/channel?keyword=bulk-')
  await tabTo(page, page.getByRole('checkbox', { name: texts.selectAll }))
  await keyboard.press('Space')
  const disable = page
    .getByRole('group', { name: texts.selectionBar })
    .getByRole('button', { name: texts.disable })
  await tabTo(page, disable)
  await keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Disable 2 channels?' })
  await dialog.getByText(/bulk-a/).waitFor()
  expect(await statuses()).toEqual([1, 1])
  await tabTo(page, dialog.getByRole('button', { name: 'Disable 2 channels' }))
  await keyboard.press('Enter')
  await message(page, texts.bulkDone(2)).waitFor()
  expect(await statuses()).toEqual([2, 2])

  const search = page.getByRole('search').getByRole('textbox')
  await search.focus()
  const toast = page.locator('.Toastify__toast').filter({ hasText: texts.bulkDone(2) })
  const toToast = async () => {
    await keyboard.press('F6')
    await expect
      .poll(() =>
        toast
          .locator(':focus')
          .or(toast.and(page.locator(':focus')))
          .count(),
      )
      .toBe(1)
  }
  await toToast()
  const playState = () =>
    page.evaluate<string>(
      `getComputedStyle(document.querySelector('.Toastify__progress-bar')).animationPlayState`,
    )
  await expect.poll(playState).toBe('paused')
  await keyboard.press('Escape')
  await expect.poll(() => hasFocus(page, search)).toBe(true)
  await expect.poll(playState).toBe('running')
  await rowOf(page, 'bulk-a').press('.')
  await page.getByRole('menuitem', { name: texts.delete }).press('Enter')
  const question = page.getByRole('dialog')
  const cancel = question.getByRole('button', { name: texts.cancel })
  await expect.poll(() => hasFocus(page, cancel)).toBe(true)
  await toToast()
  await keyboard.press('Escape')
  await expect.poll(() => hasFocus(page, cancel)).toBe(true)
  await keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  await keyboard.press('Control+k')
  await page.getByRole('combobox', { name: FRAME_TEXTS.en.palette }).waitFor()
  await toToast()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await search.focus()
  await keyboard.press('F6')
  await tabTo(page, toast.getByRole('button', { name: 'Undo' }))
  await keyboard.press('Enter')
  await expect.poll(statuses).toEqual([1, 1])
  await expect.poll(() => hasFocus(page, search)).toBe(true)
})
