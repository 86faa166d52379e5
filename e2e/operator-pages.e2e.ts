import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { optionEndpoints } from '@tollgate/contract'
import { openOneWorld, sessionOf } from './one-world.ts'
import { sharePage } from './shared-page.ts'
import { heading } from './steps.ts'
import type { Language } from './texts.ts'
import { expectTranslated } from './translations.ts'

const OWN_TEXTS = {
  en: {
    pricing: 'Pricing',
    docs: 'Docs',
    chat: 'Chat',
    cheap: 'Cost calculator',
    about: 'About',
    terms: 'Terms and conditions',
    defaultTerms: 'This site forwards your requests',
    unset: 'The operator of this site has not set up this page yet.',
    unsetAbout: 'The operator of this site has not written anything here yet.',
    howTo: 'Other settings → Links, with the name pricing',
    newTab: 'Open in a new tab',
    menu: 'Main navigation',
  },
  zh: {
    pricing: '价格',
    docs: '文档',
    chat: '聊天',
    cheap: '费用计算器',
    about: '关于',
    terms: '服务条款',
    defaultTerms: '本站将你的请求转发给第三方',
    unset: '站长尚未设置此页面。',
    unsetAbout: '站长尚未填写此页内容。',
    howTo: '名称为 pricing',
    newTab: '在新标签页打开',
    menu: '主导航',
  },
} as const

const LANGUAGES: readonly Language[] = ['en', 'zh']

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

afterAll(() => {
  site.closeAllConnections()
  site.close()
})

const setOption = (key: string, value: string) =>
  world.asRoot(optionEndpoints.updateOption, { body: { key, value } })

const framed = (page: Page, title: string) =>
  page.frameLocator(`iframe[title="${title}"]`).getByRole('heading', { name: 'Framed site' })

test('the texts are the same messages in both languages', () =>
  expectTranslated(OWN_TEXTS, [OWN_TEXTS.en.defaultTerms, OWN_TEXTS.en.howTo]))

describe.each(LANGUAGES)('in %s', (language) => {
  const own = OWN_TEXTS[language]

  const visitorPage = sharePage(() => world.open({ language }))
  const rootPage = sharePage(() => world.open({ language, session }))

  test('texts of the operator are shown without dangerous content', async () => {
    await setOption('Terms', '')
    const { page } = await visitorPage()
    await page.goto('/terms')
    await page.getByText(own.defaultTerms).waitFor()
    expect(await page.getByRole('heading', { level: 1, name: own.terms }).count()).toBe(1)

    await setOption(
      'About',
      '## We\n\n**bold** <img src="x" onerror="window.harmed = true"><script>window.harmed = true</script>',
    )
    await page.goto('/about')
    await page.getByRole('heading', { level: 2, name: 'We' }).waitFor()
    expect(await page.locator('main strong').textContent()).toBe('bold')
    expect(await page.locator('main script, main [onerror]').count()).toBe(0)
    expect(await page.evaluate<unknown>('window.harmed')).toBeUndefined()

    await setOption('HomePageContent', '## Our gateway')
    await page.goto('/')
    await page.getByRole('heading', { level: 2, name: 'Our gateway' }).waitFor()
    await setOption('HomePageContent', '')
    await page.reload()
    await page.getByText(`${world.server.url}/v1`, { exact: true }).waitFor()
  })

  test('a page without an address says so, and shows only administrators where to set it', async () => {
    await setOption('Links', '{}')
    await setOption('ChatLink', '')
    await setOption('About', '')
    const { page } = await visitorPage()
    for (const [path, title, text] of [
      ['/pricing', own.pricing, own.unset],
      ['/chat', own.chat, own.unset],
      ['/cheap', own.cheap, own.unset],
      ['/docs', own.docs, own.unset],
      ['/about', own.about, own.unsetAbout],
    ] as const) {
      await page.goto(path)
      await heading(page, title).waitFor()
      await page.getByText(text).waitFor()
      expect(await page.locator('iframe').count()).toBe(0)
    }
    await page.goto('/pricing')
    await page.getByText(own.unset).waitFor()
    expect(await page.getByText(own.howTo).count()).toBe(0)
    const { page: root } = await rootPage()
    await root.goto('/pricing')
    await root.getByText(own.howTo).waitFor()
  })

  // The rest follows the same paths in Chinese; translations.ts proves its texts.
  if (language === 'zh') return

  test("the operator's content stays in its place", async () => {
    const cover = '<a href="https://evil.example" style="position:fixed;inset:0;z-index:9999">x</a>'
    await setOption('Footer', cover)
    await setOption('HomePageContent', address.replace('http:', 'https:'))
    const { page } = await visitorPage()
    await page.goto('/')
    expect(await page.locator('iframe').getAttribute('sandbox')).not.toContain('top-navigation')
    await page.locator('a[href="https://evil.example"]').waitFor({ state: 'attached' })
    const covered = await page.evaluate<string>(
      `[0.1, 0.3, 0.5, 0.7].map((part) =>
        document.elementFromPoint(200, innerHeight * part)?.closest('a')?.href).join()`,
    )
    expect(covered).not.toContain('evil')
    await setOption('Footer', '')
    await setOption('HomePageContent', '')
  })

  test('addresses of the operator are shown in frames that cannot navigate away', async () => {
    await setOption(
      'Links',
      JSON.stringify({ pricing: address, cheap: `${address}/cheap`, docs: address }),
    )
    await setOption('ChatLink', `${address}/chat`)
    const { page } = await rootPage()
    for (const [path, title] of [
      ['/cheap', own.cheap],
      ['/docs', own.docs],
      ['/chat', own.chat],
      ['/pricing', own.pricing],
    ] as const) {
      await page.goto(path)
      await heading(page, title).waitFor()
      await framed(page, title).waitFor()
    }
    const link = page.getByRole('link', { name: own.newTab })
    expect(await link.getAttribute('href')).toBe(address)
    expect(await page.locator('iframe').getAttribute('sandbox')).not.toContain('top-navigation')
    await page.frameLocator('iframe').getByRole('link', { name: 'leave' }).click()
    expect(new URL(page.url()).pathname).toBe('/pricing')
    await framed(page, own.pricing).waitFor()

    const menu = page.getByRole('navigation', { name: own.menu })
    expect(await menu.locator('[aria-current=page]').allTextContents()).toEqual([own.pricing])
    await menu.getByRole('link', { name: own.chat, exact: true }).click()
    await framed(page, own.chat).waitFor()
    expect(await menu.locator('[aria-current=page]').allTextContents()).toEqual([own.chat])
  })
})
