import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../server/testing/harness/run-command.ts'
import { expectGoodLook } from './look.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { sharePage } from './shared-page.ts'

const world = openOneWorld(async () => {
  await apply('locked: true')
})
const session = sessionOf(world)
const shared = sharePage(() => world.open({ session }))

/** What an operator does next to the running server. */
async function apply(locked: string) {
  const key = path.join(world.folder, 'key')
  const file = path.join(world.folder, 'tollgate.yaml')
  writeFileSync(key, 'sk-upstream')
  writeFileSync(
    file,
    `version: 1
${locked}
groups: { vip: { ratio: 0.8 } }
prices: { acme-1: { input: 3, output: 15 } }
options: { RetryTimes: 4, LogErrorEnabled: false }
channels: [{ name: first, type: openai, key: "file:${key}", models: [acme-1] }]
`,
  )
  const { code, output } = await runCommand('config', { dataDir: world.folder }, 'apply', file)
  expect(output).toContain('is applied')
  expect(code).toBe(0)
}

const LOCKED = {
  en: /^Managed by tollgate\.yaml\. To make/,
  zh: /^由配置文件 tollgate\.yaml 管理，请/,
}
const SOME = {
  en: /^Managed by tollgate\.yaml: vip\./,
  zh: /^由配置文件 tollgate\.yaml 管理：vip。/,
}

test('settings that a locked file manages are disabled, and say so', async () => {
  const { page } = await shared()
  await page.goto('/setting/operation')
  const retries = page.getByLabel('Retries after a failure')
  await expect.poll(() => retries.isDisabled()).toBe(true)
  expect(await page.getByLabel('Log failed requests').isDisabled()).toBe(true)
  expect(await page.getByLabel('Log charged requests').isDisabled()).toBe(false)
  expect(await page.getByLabel('Hedge after').isDisabled()).toBe(false)
  // Other groups stay editable, so the table is open.
  expect(await page.getByLabel('Ratio, row 1').first().isDisabled()).toBe(false)
  await expectGoodLook(page, undefined, async (language) => {
    await page.getByText(LOCKED[language]).first().waitFor()
    await page.getByText(SOME[language]).first().waitFor()
  })
})

test('a channel of the file is marked, and only its status can be changed', async () => {
  const { page } = await shared()
  await page.goto('/channel')
  const row = page.getByRole('row', { name: /first/ })
  await row.getByRole('img', { name: LOCKED.en }).waitFor()
  expect(await row.getByLabel('Priority of first').isDisabled()).toBe(true)
  await row.getByRole('button', { name: /actions/i }).click()
  expect(await page.getByRole('menuitem', { name: /^Delete/ }).getAttribute('aria-disabled')).toBe(
    'true',
  )
  await page.keyboard.press('Escape')
  await page.goto('/channel/edit/1')
  await expect.poll(() => page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
  await expectGoodLook(page, undefined, (language) => page.getByText(LOCKED[language]).waitFor())
  await page.goto('/channel/1?tab=keys')
  await page.getByText(LOCKED.en).waitFor()
  expect(await page.getByRole('button', { name: 'Remove' }).count()).toBe(0)
  const enabled = page.getByRole('switch', { name: 'Enabled' })
  await enabled.click({ force: true })
  await expect.poll(() => enabled.isChecked()).toBe(false)
})

test('a price of the file is marked and cannot be edited', async () => {
  const { page } = await shared()
  await page.goto('/setting/prices')
  await page.getByText('Own prices', { exact: true }).first().click()
  const row = page.getByRole('row', { name: /acme-1/ })
  await row.getByRole('img', { name: LOCKED.en }).waitFor()
  expect(await row.getByRole('button').isDisabled()).toBe(true)
})

test('without the lock, fields are open and a note warns', async () => {
  await apply('locked: false')
  const { page } = await shared()
  await page.goto('/setting/operation')
  await page
    .getByText(/^Managed by tollgate\.yaml\. The next apply undoes/)
    .first()
    .waitFor()
  expect(await page.getByLabel('Retries after a failure').isDisabled()).toBe(false)
})
