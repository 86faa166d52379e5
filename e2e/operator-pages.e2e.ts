import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { openOneWorld, sessionOf } from './one-world.ts'
import { sharePage } from './shared-page.ts'
import { heading, openWithin } from './steps.ts'

/** A framed site that tries to navigate the console elsewhere. */
const site = createServer((_, response) => {
  response.setHeader('content-type', 'text/html')
  response.end('<h1>Framed site</h1><a href="https://elsewhere.example" target="_top">leave</a>')
})

let address: string

const world = openOneWorld(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  // Safe because a server that listens on a port has an address with a port.
  address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
})
const session = sessionOf(world)

const UNSET = 'The operator of this site has not set up this page yet.'
const HOW_TO = 'Other settings → Links, with the name pricing'

afterAll(() => {
  site.closeAllConnections()
  site.close()
})

const framed = (page: Page, title: string) =>
  page.frameLocator(`iframe[title="${title}"]`).getByRole('heading', { name: 'Framed site' })

const visitorPage = sharePage(() => world.open())
const rootPage = sharePage(() => world.open({ session }))

test('texts of the operator are shown without dangerous content', async () => {
  await world.setOption('Terms', '')
  const { page } = await visitorPage()
  await page.goto('/terms')
  await page.getByText('This site forwards your requests').waitFor()
  expect(await heading(page, 'Terms and conditions').count()).toBe(1)

  await world.setOption(
    'About',
    '## We\n\n**bold** <img src="x" onerror="window.harmed = true"><script>window.harmed = true</script>',
  )
  await page.goto('/about')
  await page.getByRole('heading', { level: 2, name: 'We' }).waitFor()
  expect(await page.locator('main strong').textContent()).toBe('bold')
  expect(await page.locator('main script, main [onerror]').count()).toBe(0)
  expect(await page.evaluate<unknown>('window.harmed')).toBeUndefined()

  await world.setOption('HomePageContent', '## Our gateway')
  await page.goto('/')
  await page.getByRole('heading', { level: 2, name: 'Our gateway' }).waitFor()
  await world.setOption('HomePageContent', '')
  await page.reload()
  await page.getByText(`${world.server.url}/v1`, { exact: true }).waitFor()
})

test('a page without an address says so, and shows only administrators where to set it', async () => {
  await world.setOption('Links', '{}')
  await world.setOption('ChatLink', '')
  await world.setOption('About', '')
  const { page } = await visitorPage()
  await page.goto('/terms')
  for (const [path, title, text] of [
    ['/pricing', 'Pricing', UNSET],
    ['/chat', 'Chat', UNSET],
    ['/cheap', 'Cost calculator', UNSET],
    ['/docs', 'Docs', UNSET],
    ['/about', 'About', 'The operator of this site has not written anything here yet.'],
  ] as const) {
    await openWithin(page, path)
    await heading(page, title).waitFor()
    await page.getByText(text).waitFor()
    expect(await page.locator('iframe').count()).toBe(0)
  }
  await openWithin(page, '/pricing')
  await page.getByText(UNSET).waitFor()
  expect(await page.getByText(HOW_TO).count()).toBe(0)
  const { page: root } = await rootPage()
  await root.goto('/pricing')
  await root.getByText(HOW_TO).waitFor()
})

test("the operator's content stays in its place", async () => {
  const cover = '<a href="https://evil.example" style="position:fixed;inset:0;z-index:9999">x</a>'
  await world.setOption('Footer', cover)
  await world.setOption('HomePageContent', address.replace('http:', 'https:'))
  const { page } = await visitorPage()
  await page.goto('/')
  expect(await page.locator('iframe').getAttribute('sandbox')).not.toContain('top-navigation')
  await page.locator('a[href="https://evil.example"]').waitFor({ state: 'attached' })
  const covered = await page.evaluate<string>(
    `[0.1, 0.3, 0.5, 0.7].map((part) =>
      document.elementFromPoint(200, innerHeight * part)?.closest('a')?.href).join()`,
  )
  expect(covered).not.toContain('evil')
  await world.setOption('Footer', '')
  await world.setOption('HomePageContent', '')
})

test('addresses of the operator are shown in frames that cannot navigate away', async () => {
  await world.setOption('Links', { pricing: address, cheap: `${address}/cheap`, docs: address })
  await world.setOption('ChatLink', `${address}/chat`)
  const { page } = await rootPage()
  await page.goto('/terms')
  for (const [path, title] of [
    ['/cheap', 'Cost calculator'],
    ['/docs', 'Docs'],
    ['/chat', 'Chat'],
    ['/pricing', 'Pricing'],
  ] as const) {
    await openWithin(page, path)
    await heading(page, title).waitFor()
    await framed(page, title).waitFor()
  }
  const link = page.getByRole('link', { name: 'Open in a new tab' })
  expect(await link.getAttribute('href')).toBe(address)
  expect(await page.locator('iframe').getAttribute('sandbox')).not.toContain('top-navigation')
  await page.frameLocator('iframe').getByRole('link', { name: 'leave' }).click()
  expect(new URL(page.url()).pathname).toBe('/pricing')
  await framed(page, 'Pricing').waitFor()

  const menu = page.getByRole('navigation', { name: 'Main navigation' })
  expect(await menu.locator('[aria-current=page]').allTextContents()).toEqual(['Pricing'])
  await menu.getByRole('link', { name: 'Chat', exact: true }).click()
  await framed(page, 'Chat').waitFor()
  expect(await menu.locator('[aria-current=page]').allTextContents()).toEqual(['Chat'])
})
