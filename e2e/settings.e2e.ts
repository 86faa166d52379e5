import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import {
  LOG_TYPE,
  logEndpoints,
  optionEndpoints,
  statusEndpoints,
  userEndpoints,
} from '@tollgate/contract'
import { openOneOf, sessionOf } from './one-world.ts'
import { SETTINGS_TEXTS } from './settings-texts.ts'
import { sharePage } from './shared-page.ts'
import { openSignInWorld, PASSWORD } from './sign-in-world.ts'
import { heading, message, signedIn } from './steps.ts'
import { TEXTS } from './texts.ts'

const ROWS_RENDERED_MAX = 60

const world = openOneOf(openSignInWorld)
const session = sessionOf(world)

async function readOption(key: string): Promise<string | undefined> {
  const { data } = await world.asRoot(optionEndpoints.listOptions, {})
  return data.find((entry) => entry.key === key)?.value
}

/** Serves a latest release, whose tag tests can set, to any origin. */
async function openReleaseServer() {
  let tag = 'v0.0.0'
  const server = createServer((_, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Content-Type', 'application/json')
    const body = '# Better\n\n- **faster** than <img src=x onerror="document.title=1">before'
    response.end(JSON.stringify({ tag_name: tag, body }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return {
    url: `http://127.0.0.1:${address.port}/latest`,
    release: (next: string) => {
      tag = next
    },
    close: () => server.close(),
  }
}

const texts = TEXTS.en
const own = SETTINGS_TEXTS.en

const rootPage = sharePage(() => world.open({ session }))

async function openTab(tab: 'operation' | 'system' | 'other') {
  const { page } = await rootPage()
  await page.goto(`/setting/${tab}`)
  await heading(page, texts.pages.settings).waitFor()
  return page
}

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

const save = (page: Page, name: string) =>
  section(page, name).getByRole('button', { name: texts.save, exact: true }).click()

test('an error is shown at its field, which gets the focus, and nothing is sent', async () => {
  const page = await openTab('operation')
  const retries = page.getByLabel(own.retryTimes, { exact: true })
  await retries.fill('0')
  await retries.press('ArrowDown')
  expect(await retries.inputValue()).toBe('0')
  const unit = page.getByLabel(own.quotaPerUnit, { exact: true })
  await unit.press('ArrowUp')
  expect(await unit.inputValue()).toBe('500,000.01')
  await unit.press('ArrowDown')
  await retries.fill('11')
  await page.getByLabel(own.topUpLink, { exact: true }).fill('shop')
  await save(page, own.general)
  await page.getByText(own.addressProblem).waitFor()
  await page.getByText(own.retryProblem).waitFor()
  await expect
    .poll(() =>
      page.getByLabel(own.topUpLink, { exact: true }).evaluate('document.activeElement.value'),
    )
    .toBe('shop')
  await page.getByLabel(own.topUpLink, { exact: true }).fill('https://shop.example/ ')
  await retries.fill('2')
  await save(page, own.general)
  await message(page, own.saved).waitFor()
  expect(await readOption('TopUpLink')).toBe('https://shop.example')
  expect(await readOption('RetryTimes')).toBe('2')
  await world.set({ TopUpLink: '', RetryTimes: '3' })
})

test('a section sends only the changed values, and the page shows them at once', async () => {
  const name = 'Gate'
  const page = await openTab('other')
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent.push(request.postData() ?? '')
  })
  await page.getByLabel(own.systemName, { exact: true }).fill(` ${name} `)
  await page.getByLabel(own.footer, { exact: true }).fill('<b>not saved</b>')
  await page.getByText(own.oneChange).first().waitFor()
  await save(page, own.look)
  await message(page, own.saved).waitFor()
  expect(sent.map((body) => JSON.parse(body))).toEqual([{ key: 'SystemName', value: name }])
  await page.getByRole('banner').getByText(name).waitFor()
  const stored = await page.evaluate<string>('localStorage.getItem("system_name")')
  expect(stored).toBe(name)
  expect(await page.getByLabel(own.systemName, { exact: true }).inputValue()).toBe(name)

  await page.getByRole('link', { name: own.systemTab }).click()
  await page.getByRole('dialog').getByRole('button', { name: texts.cancel }).click()
  expect(new URL(page.url()).pathname).toBe('/setting/other')
  await save(page, own.look)
  await message(page, own.unchanged).waitFor()
  expect(sent).toHaveLength(1)
  await page.keyboard.press('Escape')
  await page.getByLabel(own.footer, { exact: true }).focus()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('contentinfo').getByText('not saved').waitFor()
  await world.set({ SystemName: 'Tollgate', Footer: '' })
})

test('a switch changes at once and back when the server refuses', async () => {
  await world.set({ GitHubOAuthEnabled: 'false', LogConsumeEnabled: 'true' })
  const page = await openTab('operation')
  const keep = page.getByRole('switch', { name: own.logConsume })
  const answer = Promise.withResolvers<void>()
  await page.route('**/api/option/', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue()
    await answer.promise
    return route.fulfill({ json: { success: false, message: 'not today' } })
  })
  await keep.click()
  await expect.poll(() => keep.isChecked()).toBe(false)
  answer.resolve()
  await message(page, 'not today').waitFor()
  await expect.poll(() => keep.isChecked()).toBe(true)
  expect(await readOption('LogConsumeEnabled')).toBe('true')

  await page.unroute('**/api/option/')
  await keep.click()
  await message(page, texts.done).waitFor()
  expect(await readOption('LogConsumeEnabled')).toBe('false')
  await world.set({ LogConsumeEnabled: 'true' })
})

test('password login is turned off only after the warning', async () => {
  const page = await openTab('system')
  const allow = page.getByRole('switch', { name: own.passwordLogin })
  await allow.click()
  await page.getByRole('dialog').getByText(own.passwordWarning).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: texts.cancel }).click()
  expect(await readOption('PasswordLoginEnabled')).toBe('true')
  await allow.click()
  await page.getByRole('button', { name: own.passwordVerb }).click()
  await message(page, texts.done).waitFor()
  expect(await readOption('PasswordLoginEnabled')).toBe('false')
  await world.set({ PasswordLoginEnabled: 'true' })
})

test('an address that moves the console is saved only after a dialog', async () => {
  const stored = await readOption('ServerAddress')
  const address = 'https://typo.example'
  const page = await openTab('system')
  await page.getByLabel(own.serverAddress, { exact: true }).fill(`${address}/`)
  await save(page, own.addresses)
  const dialog = page.getByRole('dialog', { name: own.moveTitle(address) })
  await dialog.getByText(new URL(page.url()).host).waitFor()
  await dialog.getByRole('button', { name: texts.cancel }).click()
  await page.getByText(own.oneChange).first().waitFor()
  expect(await readOption('ServerAddress')).toBe(stored)
  await save(page, own.addresses)
  await dialog.getByRole('button', { name: own.moveVerb }).click()
  await message(page, own.saved).waitFor()
  expect(await readOption('ServerAddress')).toBe(address)
  await world.set({ ServerAddress: stored ?? '' })
})

test('a switch with missing requirements names them', async () => {
  await world.set({ EmailDomainRestrictionEnabled: 'false', EmailDomainWhitelist: '' })
  const page = await openTab('system')
  const port = page.getByLabel(own.smtpPort, { exact: true })
  expect(await port.getAttribute('placeholder')).toBe('587')
  // Without digit separators.
  expect(await port.inputValue()).toMatch(/^\d{4,5}$/)
  const restrict = page.getByRole('switch', { name: own.restrict })
  expect(await restrict.isDisabled()).toBe(true)
  await page.getByText(own.needsDomains).waitFor()
  const domains = page.getByRole('combobox', { name: own.domains, exact: true })
  await domains.press('Enter')
  for (const domain of ['A.example', 'a.example', '  ', 'b.example']) {
    await domains.fill(domain)
    await domains.press('Enter')
  }
  await save(page, own.domainsSection)
  await message(page, own.saved).waitFor()
  expect(await readOption('EmailDomainWhitelist')).toBe('a.example,b.example')
  await expect.poll(() => restrict.isEnabled()).toBe(true)
})

test('prices are changed in the table and as JSON, whose errors name the place', async () => {
  const model = 'new-model'
  const page = await openTab('operation')
  const table = page.getByRole('group', { name: own.prices }).getByRole('table')
  const rows = table.locator('tbody tr[aria-rowindex]')
  await table.hover()
  await page.mouse.wheel(0, 1_000_000)
  const count = await table.getAttribute('aria-rowcount')
  await expect.poll(() => rows.last().getAttribute('aria-rowindex')).toBe(count)
  expect(await rows.count()).toBeLessThan(ROWS_RENDERED_MAX)
  const search = page.getByLabel(own.searchModels)
  await search.fill('gpt-4o-mini')
  const ratio = page.getByLabel(own.modelRatioOf('gpt-4o-mini'), { exact: true })
  await ratio.fill('2.5')
  await page
    .getByRole('row', { name: /gpt-4o-mini / })
    .getByText('$5.00')
    .first()
    .waitFor()
  await search.fill(model)
  await search.press('Enter')
  await page.getByText(own.oneModel, { exact: true }).waitFor()
  await page.getByLabel(own.modelRatioOf(model), { exact: true }).fill('7')
  await page.getByRole('group', { name: own.prices }).getByText('JSON', { exact: true }).click()
  const json = page.getByLabel(own.modelRatio, { exact: true })
  const text = await json.inputValue()
  expect(JSON.parse(text)).toMatchObject({ 'gpt-4o-mini': 2.5, [model]: 7 })
  await json.fill('{\n  "gpt-4o": 1,\n}')
  await save(page, own.ratios)
  await page.getByText(own.modelRatioError).waitFor()
  await expect.poll(() => json.evaluate('document.activeElement.value')).toContain('gpt-4o')
  await json.fill('{ "gpt-4o": 1 }')
  await page.getByLabel(own.completionRatio, { exact: true }).fill('[')
  await save(page, own.ratios)
  await page.getByText(own.completionRatioError).waitFor()
  await page.reload()
  await page.getByLabel(own.searchModels).fill('gpt-4o-mini')
  await ratio.fill('2.5')
  await save(page, own.ratios)
  await message(page, own.saved).waitFor()
  expect(JSON.parse((await readOption('ModelRatio')) ?? '')['gpt-4o-mini']).toBe(2.5)
  await world.set({ ModelRatio: '{}' })
})

test('groups are rows, and a repeated one is refused', async () => {
  const page = await openTab('operation')
  const group = page.getByRole('group', { name: own.groupRatio, exact: true })
  await group.getByRole('button', { name: own.addGroup }).click()
  await group.getByLabel(own.groupCell(4), { exact: true }).fill('vip')
  await group.getByLabel(own.ratioCell(4), { exact: true }).fill('0.5')
  await save(page, own.ratios)
  await page.getByText(own.twice).waitFor()
  await page.getByRole('textbox', { name: own.groupJson }).fill('{')
  await save(page, own.ratios)
  await page.getByText(own.groupRatioError).waitFor()
  await group.getByText(own.rows, { exact: true }).click()
  await page.reload()
  await group.getByLabel(own.ratioCell(2), { exact: true }).fill('0.5')
  await save(page, own.ratios)
  await message(page, own.saved).waitFor()
  expect(JSON.parse((await readOption('GroupRatio')) ?? '')).toMatchObject({ vip: 0.5 })
  await world.set({ GroupRatio: '{"default": 1, "vip": 1, "svip": 1}' })
})

test('a secret is stored and never shown', async () => {
  const secret = 'very-secret'
  const page = await openTab('system')
  const field = page.getByLabel(own.pusherToken, { exact: true })
  await field.fill(secret)
  await save(page, own.pusher)
  await message(page, own.saved).waitFor()
  await expect.poll(() => field.inputValue()).toBe('')
  await page.getByRole('button', { name: own.history }).click()
  await page.getByRole('dialog').getByText('MessagePusherToken').first().waitFor()
  expect(await page.content()).not.toContain(secret)
  expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain(secret)

  await page.keyboard.press('Escape')
  await page.getByLabel(own.pusherAddress, { exact: true }).fill('https://push.example')
  await page.getByText(own.secretAgain).waitFor()
})

test('a test email uses the saved settings, or says why not', async () => {
  const to = `operator@example.com`
  const page = await openTab('system')
  const field = page.getByLabel(own.mailTo, { exact: true })
  await field.fill('nobody')
  await page.getByRole('button', { name: own.sendMail }).click()
  await page.getByText(own.mailWrong).waitFor()
  await field.fill(to)
  await page.getByRole('button', { name: own.sendMail }).click()
  await message(page, own.mailSent(to)).waitFor()
  expect(await world.mailTo(to)).not.toBe('')
})

test('logs are deleted after a dialog, and a failure says why', async () => {
  const page = await openTab('operation')
  const target = page.getByLabel(own.cleanupTarget, { exact: true })
  const shown = new Date((await target.inputValue()).replace(' ', 'T')).getTime()
  expect(Math.abs(Date.now() - 30 * 86_400_000 - shown)).toBeLessThan(2 * 3_600_000)
  await target.fill('tomorrow')
  await page.getByRole('button', { name: own.cleanup }).click()
  await page.getByText(own.cleanupWrong).waitFor()
  const year = new Date().getFullYear()
  await target.fill(`${year - 1}-01-01 00:00:00`)
  const refusal = { success: false, message: 'the database is away' }
  await page.route('**/api/log/?*', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill({ json: refusal }) : route.fallback(),
  )
  await page.getByRole('button', { name: own.cleanup }).click()
  await page.getByRole('button', { name: own.cleanupVerb }).click()
  await message(page, own.cleanupFailed).waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: own.cleanup }).click()
  await page.getByRole('button', { name: own.cleanupVerb }).click()
  await message(page, own.cleaned).waitFor()
  const { data } = await world.asRoot(logEndpoints.listLogs, {
    query: { type: LOG_TYPE.manage, size: 1 },
  })
  expect(data).toHaveLength(1)
})

test('the release address is fetched, and only a newer version is shown', async () => {
  const releases = await openReleaseServer()
  try {
    await world.set({ ReleaseAddress: releases.url })
    const page = await openTab('other')
    const { data: status } = await world.asRoot(statusEndpoints.getStatus, {})
    releases.release(status.version)
    await page.getByRole('button', { name: own.checkUpdates }).click()
    await message(page, own.latest(status.version)).waitFor()
    releases.release('v99.0.0')
    await page.getByRole('button', { name: own.checkUpdates }).click()
    const dialog = page.getByRole('dialog', { name: own.newer('v99.0.0') })
    await dialog.getByRole('heading', { name: 'Better' }).waitFor()
    expect(await dialog.locator('[onerror]').count()).toBe(0)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  } finally {
    releases.close()
  }
})

test('links and texts are edited with their preview', async () => {
  const page = await openTab('other')
  await page
    .getByLabel(own.about, { exact: true })
    .fill('## We\n\n<script>document.title = 1</script>')
  await page.getByRole('button', { name: own.previewAbout }).click()
  await page
    .getByRole('group', { name: own.previewOfAbout })
    .getByRole('heading', { name: 'We' })
    .waitFor()
  await page.getByRole('button', { name: own.addLink }).click()
  await page.getByLabel(own.linkName(1), { exact: true }).fill('docs')
  await page.getByLabel(own.linkAddress(1), { exact: true }).fill('https://docs.example/')
  await save(page, own.links)
  await message(page, own.saved).waitFor()
  expect(await readOption('Links')).toBe('{"docs":"https://docs.example"}')
  await page.getByLabel(own.packageUsd(1), { exact: true }).fill('20')
  await save(page, own.packages)
  await message(page, own.saved).last().waitFor()
  await expect.poll(async () => (await readOption('TopUpPackages')) ?? '').toContain('"usd":20')
  await world.set({ Links: '{}' })
})

test('a user has the personal settings only', async () => {
  const username = 'plain'
  await world.asRoot(userEndpoints.createUser, { body: { username, password: PASSWORD } })
  const plain = await signedIn(world, { username, password: PASSWORD })
  const page = await world.open({ session: plain })
  await page.goto('/setting')
  await heading(page, texts.pages.settings).waitFor()
  expect(await page.getByRole('link', { name: own.systemTab }).count()).toBe(0)
  await page.goto('/setting/system')
  await page.getByText(texts.notAllowed).waitFor()
  await page.goto('/user/edit')
  const email = page.getByLabel(own.ownEmail, { exact: true })
  expect(await email.getAttribute('readonly')).not.toBeNull()
  await page.getByRole('button', { name: texts.cancel }).click()
  await heading(page, texts.pages.settings).waitFor()
})
