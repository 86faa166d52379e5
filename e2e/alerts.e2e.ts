import { expect, test } from 'vitest'
import { alertEndpoints, channelEndpoints } from '@tollgate/contract'
import { expectGoodLook } from './look.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { heading } from './steps.ts'
import { TEXTS } from './texts.ts'

const world = openOneWorld()
const session = sessionOf(world)

test('the bell says that there is news, and the page shows it and takes the mark away', async () => {
  const page = await world.open({ session })
  await page.goto('/alert')
  await heading(page, TEXTS.en.pages.alerts).waitFor()
  await page.getByText('No alerts yet').waitFor()

  await world.addChannel('main', 'gpt-6')
  await world.asRoot(channelEndpoints.testChannels, { query: {} })
  const unseen = async () => (await world.asRoot(alertEndpoints.listAlerts, {})).data.unseen
  await expect.poll(unseen, { timeout: 15_000 }).toBe(1)

  await page.goto('/')
  const bell = page.getByRole('link', { name: 'Alerts: 1 new' })
  await bell.click()
  await heading(page, TEXTS.en.pages.alerts).waitFor()
  const alert = page.getByRole('listitem').filter({ hasText: 'Channel test finished' })
  await alert.getByText('new', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Alerts', exact: true }).waitFor()
  await expectGoodLook(page)
  expect(await unseen()).toBe(0)
  await alert.getByRole('link').click()
  await page.waitForURL('**/channel')
})
