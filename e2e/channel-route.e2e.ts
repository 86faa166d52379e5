import { expect, test } from 'vitest'
import { channelEndpoints, tokenEndpoints } from '@tollgate/contract'
import { answerAsAsked, answerError } from '../server/testing/fakes/scripted-upstream.ts'
import { openChannelWorld } from './channel-world.ts'
import { askModel, hasFocus, tabTo } from './steps.ts'

const { world, addChannel, openList } = openChannelWorld()

const askDirectly = async () => {
  const body = { name: `route ${Date.now()}`, unlimited_quota: true }
  const { data } = await world.asRoot(tokenEndpoints.createToken, { body })
  return () => askModel(world, `sk-${data.key}`, 'gpt-4o')
}

async function openDialog() {
  const page = await openList()
  await page.getByRole('button', { name: 'More bulk actions' }).click()
  await page.getByRole('menuitem', { name: 'Route preview' }).click()
  const dialog = page.getByRole('dialog', { name: 'How is a model routed?' })
  const show = async (model: string) => {
    await dialog.getByRole('combobox', { name: 'Model' }).fill(model)
    await dialog.getByRole('button', { name: 'Show' }).click()
  }
  const rows = () => dialog.locator('tbody tr').allTextContents()
  return { page, dialog, show, rows }
}

test('the route of a model shows the order, the chances, and why other channels are excluded', async () => {
  const main = await addChannel('main', answerAsAsked, { priority: 9 })
  const spare = await addChannel('spare', answerAsAsked)
  const off = await addChannel('off', answerAsAsked)
  const body = { id: off, status: 2 as const }
  await world.asRoot(channelEndpoints.updateChannel, { body })
  const { dialog, show, rows } = await openDialog()
  await show('gpt-4o')
  await dialog.getByRole('table').waitFor()
  expect(await rows()).toEqual([
    `1${main} mainpriority 9, weight 0100 %`,
    `2${spare} sparepriority 0, weight 00 %`,
    `—${off} offdisabled—`,
  ])
  await show('nobody-has-it')
  await dialog.getByText('No channel serves nobody-has-it to this group.').waitFor()
  expect(await rows()).toEqual([`—${off} offdisabled—`])
  const others = dialog.locator('details')
  await others.getByText('2 channels do not serve this model').waitFor()
  expect(await others.getByRole('listitem').count()).toBe(0)
  await others.getByText('2 channels do not serve this model').click()
  expect(await others.getByRole('listitem').allTextContents()).toEqual([
    `${main} main`,
    `${spare} spare`,
  ])
})

test('the route of a model shows what the gateway has learned from requests', async () => {
  const ill = await addChannel('ill', answerError(503, {}), { priority: 9 })
  await addChannel('well', answerAsAsked)
  const ask = await askDirectly()
  await expect
    .poll(async () => {
      const statuses = await Promise.all([ask(), ask(), ask(), ask()])
      return statuses.map(({ status }) => status)
    })
    .toEqual([200, 200, 200, 200])
  const { dialog, show } = await openDialog()
  await show('gpt-4o')
  const row = dialog.getByRole('row').filter({ hasText: `${ill} ill` })
  await row.getByText('0 % of recent requests succeeded').waitFor()
})

test('the route of a model shows channels with a Retry-After, and channels beyond the attempts', async () => {
  const resting = await addChannel('resting', answerError(429, {}, { 'retry-after': '600' }), {
    priority: 9,
  })
  const main = await addChannel('main', answerAsAsked, { priority: 5 })
  const spare = await addChannel('spare', answerAsAsked)
  const ask = await askDirectly()
  expect((await ask()).status).toBe(200)
  await world.setOption('RetryTimes', 0)
  try {
    const { dialog, show, rows } = await openDialog()
    await show('gpt-4o')
    await dialog.getByRole('table').waitFor()
    const [first = '', ...others] = await rows()
    expect(first).toMatch(`1${main} mainpriority 5`)
    expect(others).toEqual([
      expect.stringMatching(
        `^—${resting} restingprovider asked for a longer wait than requests take · back in (9|10) min `,
      ),
      `—${spare} sparenot reached: retry limit is lower—`,
    ])
  } finally {
    await world.setOption('RetryTimes', 3)
  }
})

test('the route of a model is opened and used by the keyboard, and returns the focus', async () => {
  await addChannel('main', answerAsAsked)
  const { page, dialog } = await openDialog()
  const model = dialog.getByRole('combobox', { name: 'Model' })
  await expect.poll(() => hasFocus(page, model)).toBe(true)
  await page.keyboard.type('gpt-4o')
  await tabTo(page, dialog.getByRole('button', { name: 'Show' }))
  await page.keyboard.press('Enter')
  await dialog.getByRole('table').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})
