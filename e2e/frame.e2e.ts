import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { userEndpoints } from '@tollgate/contract'
import { FRAME_TEXTS } from './frame-texts.ts'
import { changeData } from './intercept.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { sharePage } from './shared-page.ts'
import { hasFocus, heading, message, signedIn, watchCalls } from './steps.ts'
import { TEXTS } from './texts.ts'
import { settled } from './traffic.ts'

const PHONE = { width: 390, height: 844 }
const HEADER_HEIGHT = 48
const TARGET_LEAST = 44
/** Content that must be loaded first takes longer than content that is only drawn. */
const PATIENT = { timeout: 15_000 }
const TWO_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'
const ALICE = { username: 'alice', password: 'alice is here' }

const world = openOneWorld(async () => {
  await world.asRoot(userEndpoints.createUser, { body: ALICE })
})
const session = sessionOf(world)
const alice = sessionOf(world, ALICE)

/** Sets the links while `body` runs; the tests of a file never run in parallel. */
async function withLinks(body: () => Promise<void>) {
  const names = ['pricing', 'docs', 'cheap', 'support', 'status', 'forum', 'group']
  const links = names.map((name) => [name, `https://${name}.example/`])
  await world.setOption('Links', Object.fromEntries(links))
  await world.setOption('ChatLink', 'https://chat.example/')
  try {
    await body()
  } finally {
    await world.setOption('Links', {})
    await world.setOption('ChatLink', '')
  }
}

const menuOf = (page: Page, name: string) => page.getByRole('navigation', { name, exact: true })

/** Includes entries that are hidden for lack of room. */
const entriesOf = (page: Page, name: string) =>
  page.locator(`header nav[aria-label="${name}"] a`).allTextContents()

const texts = TEXTS.en
const frame = FRAME_TEXTS.en
const visitorPage = sharePage(() => world.open())

const forAdmins = (linked: readonly string[]) => [
  frame.admins[0],
  ...linked,
  ...frame.ownMenu.slice(0, -3),
  frame.admins[1],
  ...frame.ownMenu.slice(-3, -2),
  ...frame.admins.slice(2),
  ...frame.ownMenu.slice(-2),
  frame.partnerPlan,
]

test('a menu that cannot be loaded leaves the page unchanged', async () => {
  const { page } = await visitorPage()
  const chunk = /\/static\/js\/opened-menu[^/]*\.js/
  await page.route(chunk, (route) => route.abort())
  await page.goto('/login')
  await page.getByLabel(texts.username).fill('alice')
  await page.getByRole('button', { name: frame.language }).click()
  await message(page, frame.menuChunk).waitFor()
  expect(await page.getByLabel(texts.username).inputValue()).toBe('alice')
})

test('menu entries without room are under More, at any width and with long names', async () => {
  await world.setOption('SystemName', 'A gateway with a rather long name, and more')
  try {
    await withLinks(async () => {
      const page = await world.open({ session })
      await page.goto('/partnerplan')
      await heading(page, texts.pages.partnerPlan).waitFor()
      const links = menuOf(page, texts.mainMenu).getByRole('link')
      const more = page.getByRole('button', { name: frame.more, exact: true })
      for (const width of [900, 1000, 1100, 1200, 1300]) {
        await page.setViewportSize({ width, height: 800 })
        await page.evaluate(TWO_FRAMES)
        const inView = await links.allTextContents()
        const tops = await links.evaluateAll((all) =>
          all.map((link) => link.getBoundingClientRect().top),
        )
        expect(new Set(tops).size).toBe(1)
        const all = forAdmins(frame.linked)
        if (inView.length === all.length) {
          expect(width).toBeGreaterThan(1200)
          continue
        }
        await more.click()
        const items = page.getByRole('menu').getByRole('menuitem')
        await items.first().waitFor()
        expect(inView).toEqual(all.slice(0, inView.length))
        const others = (await items.allTextContents()).toSorted()
        expect(others).toEqual(all.slice(inView.length).toSorted())
        expect(
          await page.getByRole('menu').locator('[aria-current=page]').allTextContents(),
        ).toEqual([frame.partnerPlan])
        await page.keyboard.press('Escape')
        await expect.poll(() => hasFocus(page, more)).toBe(true)
        const overflow = 'document.documentElement.scrollWidth - window.innerWidth'
        // Room for a scroll bar is left free.
        expect(await page.evaluate<number>(overflow)).toBeLessThanOrEqual(0)
        expect((await page.locator('header').boundingBox())?.height).toBe(HEADER_HEIGHT)
      }
      await page.setViewportSize({ width: 1000, height: 800 })
      await more.focus()
      await page.keyboard.press('Enter')
      const items = page.getByRole('menu').getByRole('menuitem')
      const focused = page.getByRole('menu').locator(':scope:focus, :focus')
      await expect.poll(() => focused.count()).toBe(1)
      await page.keyboard.press('ArrowUp')
      await expect.poll(() => hasFocus(page, items.last())).toBe(true)
      await page.keyboard.press('Enter')
      await page.waitForURL('/setting')
    })
  } finally {
    await world.setOption('SystemName', 'Tollgate')
  }
})

test('on a phone the menu is a sheet with touch targets', async () => {
  // This session ends with the test.
  const own = await signedIn(world, ALICE)
  const page = await world.open({ session: own, viewport: PHONE })
  await page.goto('/topup')
  const button = page.getByRole('button', { name: texts.menuButton })
  await button.click()
  const sheet = page.getByRole('dialog')
  await sheet.waitFor()
  expect(await sheet.locator('[aria-current=page]').allTextContents()).toEqual([frame.topUp])
  expect((await sheet.boundingBox())?.height).toBe(PHONE.height)
  const targets = sheet.locator('a, button')
  for (const target of await targets.all()) {
    expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(TARGET_LEAST)
  }
  await page.keyboard.press('Escape')
  await expect.poll(() => hasFocus(page, button)).toBe(true)
  await button.click()
  await sheet.getByRole('button', { name: frame.logOut }).click()
  await message(page, frame.loggedOut).waitFor()
  await page.waitForURL('/login')
  await button.click()
  await sheet.getByRole('link', { name: texts.logIn }).waitFor()
  await sheet.getByRole('link', { name: frame.register }).click()
  await page.waitForURL('/register')
})

test('the menu has the entries of the role and of the operator', async () => {
  const visitor = await world.open()
  const user = await world.open({ session: alice })
  const admin = await world.open({ session })
  await visitor.goto('/')
  await user.goto('/token')
  await admin.goto('/token')
  for (const page of [visitor, user, admin]) await settled(page)
  expect(await entriesOf(visitor, texts.mainMenu)).toEqual([frame.partnerPlan])
  expect(await entriesOf(user, texts.mainMenu)).toEqual([...frame.ownMenu, frame.partnerPlan])
  expect(await entriesOf(admin, texts.mainMenu)).toEqual(forAdmins([]))

  await withLinks(async () => {
    for (const page of [visitor, user, admin]) {
      await page.reload()
      await menuOf(page, texts.mainMenu).getByRole('link', { name: frame.linked[3] }).waitFor()
    }
    const { linked, ownMenu, partnerPlan } = frame
    expect(await entriesOf(visitor, texts.mainMenu)).toEqual([...linked, partnerPlan])
    expect(await entriesOf(user, texts.mainMenu)).toEqual([...linked, ...ownMenu, partnerPlan])
    expect(await entriesOf(admin, texts.mainMenu)).toEqual(forAdmins(linked))
  })
})

test('a notice stays below the header until it is dismissed, then never returns', async () => {
  await world.setOption('Notice', `<b>Maintenance</b> tonight<script>window.hit = 1</script>`)
  try {
    for (const viewport of [{ width: 1440, height: 900 }, PHONE]) {
      const page = await world.open({ viewport })
      await page.clock.install()
      await page.goto('/login')
      const notice = page.getByRole('region', { name: frame.notice })
      // The code that cleans the text loads after the bar.
      await notice.locator('b').waitFor()
      expect(await notice.locator('b').allTextContents()).toEqual(['Maintenance'])
      expect(await page.evaluate<unknown>('window.hit')).toBeUndefined()
      const box = await notice.boundingBox()
      const below = await page.getByRole('main').boundingBox()
      expect([box?.y, below?.y]).toEqual([HEADER_HEIGHT, HEADER_HEIGHT + (box?.height ?? 0)])
      await page.clock.fastForward(60_000)
      expect(await notice.isVisible()).toBe(true)
      await page.reload()
      await notice.getByRole('button', { name: frame.closeNotice }).click()
      await notice.waitFor({ state: 'detached' })
      await page.reload()
      await settled(page)
      expect(await notice.count()).toBe(0)
    }
  } finally {
    await world.setOption('Notice', '')
  }
})

test('a server of another version is announced when the window regains focus', async () => {
  const page = await world.open({ session })
  await page.clock.install()
  await page.goto('/token')
  await settled(page)
  const asked = watchCalls(page)
  await page.evaluate('window.dispatchEvent(new Event("focus"))')
  await changeData(page, '/api/status', (data) => ({ ...data, version: 'v9.9.9' }))
  await page.clock.fastForward(61_000)
  expect(asked).not.toContain('/api/status')
  await page.evaluate('window.dispatchEvent(new Event("focus"))')
  await page.getByText(frame.newer).waitFor()
})

test("the footer has the configured links, or the operator's text", async () => {
  const { page } = await visitorPage()
  const links = page.getByRole('contentinfo').getByRole('link')
  await page.goto('/login')
  await expect.poll(() => links.allTextContents(), PATIENT).toEqual(frame.ownFooter)
  await withLinks(async () => {
    await page.reload()
    await expect.poll(() => links.allTextContents(), PATIENT).toEqual(frame.footer)
  })
  await world.setOption('Footer', '<a href="https://own.example/">Our own</a>')
  try {
    await page.reload()
    await expect.poll(() => links.allTextContents(), PATIENT).toEqual(['Our own'])
  } finally {
    await world.setOption('Footer', '')
  }
})

test('a page that never loads is given up after two minutes', async () => {
  const page = await world.open({ session })
  await page.clock.install()
  await page.route(/\/static\/js\/setting-page[^/]*\.js/, () => undefined)
  await page.goto('/setting')
  await page.getByText(frame.loading).waitFor()
  await page.clock.fastForward(119_000)
  expect(await page.getByText(frame.loading).isVisible()).toBe(true)
  await page.clock.fastForward(2000)
  await heading(page, texts.pages.error).waitFor()
  await page.getByText(frame.chunkLate).waitFor()
})

test('an unknown address and a silent server are reported', async () => {
  const { page } = await visitorPage()
  await page.route('/api/status', (route) => route.abort())
  await page.goto('/no/such/page')
  await message(page, frame.notFound).waitFor()
  await message(page, frame.statusFailed).waitFor()
})

const STORED = ['system_name', 'logo', 'footer_html', 'quota_per_unit', 'display_in_currency']

test('the status of the server is stored in the browser', async () => {
  const page = await world.open()
  await page.goto('/login')
  const read = (key: string) => page.evaluate<string | null>(`localStorage.getItem('${key}')`)
  await expect
    .poll(() => Promise.all(STORED.map(read)))
    .toEqual(['Tollgate', '', '', '500000', 'true'])
  const status = JSON.parse((await read('status')) ?? '')
  expect(status).toMatchObject({ turnstile_check: false, github_oauth: false, wechat_login: false })
})

test('toasts are at the top right, or in the middle on a phone, and disappear by themselves', async () => {
  for (const [width, place] of [
    [601, 'top-right'],
    [600, 'top-center'],
  ] as const) {
    const page = await world.open({ session, viewport: { width, height: 800 } })
    await page.goto('/')
    const container = `.Toastify__toast-container--${place}`
    const duration = page.evaluate<string>(`new Promise((done) => {
      const look = () => {
        const bar = document.querySelector('${container} .Toastify__progress-bar')
        if (bar) done(getComputedStyle(bar).animationDuration)
        else requestAnimationFrame(look)
      }
      look()
    })`)
    await page.getByRole('button', { name: /^Copy/ }).first().click()
    expect(await duration).toBe('1.5s')
    await page.locator(`${container} .Toastify__toast`).waitFor({ state: 'detached' })
  }
})

test('a toast dragged past 80 % of its width disappears, otherwise it stays', async () => {
  const page = await world.open()
  await page.route('/api/status', (route) => route.abort())
  await page.goto('/login')
  const toast = message(page, FRAME_TEXTS.en.statusFailed)
  // Below the mouse it does not disappear by itself.
  await toast.hover()
  await drag(page, 0.7)
  expect(await toast.isVisible()).toBe(true)
  await drag(page, 0.9)
  await toast.waitFor({ state: 'detached' })
})

/** Drags the toast by touch, by a share of its width. */
const drag = (page: Page, share: number) =>
  page.evaluate(`(() => {
    const toast = document.querySelector('.Toastify__toast')
    const { left, top, width } = toast.getBoundingClientRect()
    for (const [type, x] of [['pointerdown', 0], ['pointermove', ${share}], ['pointerup', ${share}]]) {
      toast.dispatchEvent(new PointerEvent(type, {
        bubbles: true, pointerType: 'touch', clientX: left + 10 + x * width, clientY: top + 10,
      }))
    }
  })()`)

test('a new page moves the focus to its heading, and back restores the position', async () => {
  const page = await world.open({ session, viewport: { width: 1440, height: 300 } })
  await page.goto('/user/edit')
  await heading(page, texts.pages.account).waitFor()
  await page.mouse.wheel(0, 150)
  await expect.poll(() => page.evaluate<number>('window.scrollY')).toBe(150)
  const menu = menuOf(page, texts.mainMenu)
  await menu.getByRole('link', { name: texts.menu.logs }).click()
  await expect.poll(() => hasFocus(page, heading(page, texts.pages.logs))).toBe(true)
  expect(await page.title()).toBe('Logs · Tollgate')
  expect(await page.evaluate<number>('window.scrollY')).toBe(0)
  await page.goBack()
  await heading(page, texts.pages.account).waitFor()
  await expect.poll(() => page.evaluate<number>('window.scrollY')).toBe(150)

  await page.keyboard.press('Tab')
  await page.goto('/log')
  await heading(page, texts.pages.logs).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect.poll(() => hasFocus(page, page.locator('main'))).toBe(true)
})

test('pointing at a menu entry loads the code of its page', async () => {
  const page = await world.open({ session })
  await page.goto('/token')
  const code = page.waitForRequest(/\/static\/js\/redemptions-page/)
  const link = { name: FRAME_TEXTS.en.admins[1], exact: true }
  await menuOf(page, TEXTS.en.mainMenu).getByRole('link', link).hover()
  await code
  expect(page.url()).toContain('/token')
})

test('the first steps cost one call on a page, and none once they are hidden', async () => {
  const page = await world.open({ session })
  const asked = watchCalls(page, /\/api\/(?!status|user\/self|alert|option\/unconfirmed)/)
  await page.goto('/token')
  const steps = page.getByRole('region', { name: FRAME_TEXTS.en.firstSteps })
  await steps.waitFor()
  await settled(page)
  expect(asked.toSorted()).toEqual(['/api/channel/', '/api/token/'])
  await steps.getByRole('button', { name: /Hide/ }).click()
  asked.length = 0
  await page.reload()
  await heading(page, TEXTS.en.pages.tokens).waitFor()
  await settled(page)
  expect(asked).toEqual(['/api/token/'])
  expect(await steps.count()).toBe(0)
})
