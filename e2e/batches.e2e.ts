import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { redemptionEndpoints } from '@tollgate/contract'
import { expectGoodLook } from './look.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { message } from './steps.ts'

const world = openOneWorld(async () => {
  for (const [batch, count] of [
    ['spring', 3],
    ['autumn', 1],
  ] as const) {
    const body = { name: 'gift', quota: 500_000, count, batch }
    await world.asRoot(redemptionEndpoints.createRedemptions, { body })
  }
})
const session = sessionOf(world)

test('a batch is counted, saved as CSV, disabled and enabled, and filters the list', async () => {
  const page = await world.open({ session })
  await page.goto('/redemption')
  await page.getByRole('button', { name: 'Batches', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Batches' })
  const row = dialog.getByRole('row').filter({ hasText: 'spring' })
  await row.getByText('$3.00').waitFor()
  await expectGoodLook(page, '[role=dialog]')
  const frame = dialog.getByRole('group', { name: 'Batches', exact: true })
  expect(await frame.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('button', { name: 'Save the unused codes of spring as CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('spring.csv')
  const text = await readFile(await download.path(), 'utf8')
  expect(text).toMatch(/^code,quota,expires\r\n(?:[\da-f]{32},500000,\r\n){3}$/)

  await row.getByRole('button', { name: 'Disable the batch spring' }).click()
  await page.getByRole('button', { name: 'Disable 3 codes' }).click()
  await message(page, '3 codes disabled.').waitFor()
  await row.getByRole('button', { name: 'Enable the batch spring' }).click()
  await page
    .getByText('Codes of the batch spring that were disabled one by one stay disabled.')
    .waitFor()
  await page.getByRole('button', { name: 'Enable 3 codes' }).click()
  await message(page, '3 codes enabled.').waitFor()
  await row.getByRole('button', { name: 'Disable the batch spring' }).click()
  await page.getByRole('button', { name: 'Disable 3 codes' }).click()
  await row.getByRole('button', { name: 'Enable the batch spring' }).waitFor()
  await row.getByRole('link', { name: 'spring' }).click()
  await dialog.waitFor({ state: 'detached' })
  const shown = page.locator('tbody tr[data-row]')
  await expect.poll(() => shown.count()).toBe(3)
  await expect.poll(() => shown.getByText('disabled', { exact: true }).count()).toBe(3)
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'unused' }).click()
  await expect.poll(() => shown.count()).toBe(0)
  await page.goto('/redemption?state=unused')
  await expect.poll(() => shown.count()).toBe(1)
})
