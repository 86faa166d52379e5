import { expect, test } from 'vitest'
import { openOneWorld } from './one-world.ts'
import { hasFocus, heading, message, rowOf, tabTo } from './steps.ts'
import { TEXTS } from './texts.ts'
import { ROOT_PASSWORD, type World } from './world.ts'

const texts = TEXTS.en

let world: World

openOneWorld(async (opened) => {
  world = opened
})

test('a token is made, found, disabled and deleted without a mouse', async () => {
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
  const focused = await page.evaluate<string>('document.activeElement.tagName')
  expect(focused).not.toBe('BODY')

  async function chooseFromMenu(item: string) {
    const target = page.getByRole('menuitem', { name: item })
    await target.waitFor()
    for (let pressed = 0; pressed < 10 && !(await hasFocus(page, target)); pressed += 1) {
      await keyboard.press('ArrowDown')
    }
    await keyboard.press('Enter')
  }
})
