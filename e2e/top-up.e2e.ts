import { text } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { DEFAULT_TOP_UP_PACKAGES, optionEndpoints, redemptionEndpoints } from '@tollgate/contract'
import { openOneWorld, sessionOf } from './one-world.ts'
import { addUser, chooseAction, heading, message, rowOf, signedIn, signIn } from './steps.ts'
import { type Language, TEXTS } from './texts.ts'
import { expectTranslated } from './translations.ts'

const OWN_TEXTS = {
  en: {
    list: 'Redemption codes',
    add: 'Add redemption codes',
    name: 'Name',
    quota: 'Quota',
    count: 'Number of codes',
    create: 'Create',
    nameError: 'Enter a name of 1 to 20 characters.',
    madeTitle: (name: string) => `Codes of ${name}`,
    codes: 'The codes, one per line',
    copyAll: 'Copy all',
    back: 'Back to list',
    copyCode: 'Copy code',
    editTitle: (name: string) => `Edit redemption code ${name}`,
    saved: 'Redemption code updated.',
    disabled: 'disabled',
    used: 'used',
    usedReason: 'A code that has been used cannot be changed.',
    deleteVerb: (name: string) => `Delete ${name}`,
    topUp: 'Top up',
    key: 'Top-up code',
    keyError: 'Please enter the top-up code!',
    gift: 'Gift code',
    redeem: 'Redeem',
    done: (quota: string) => `Top-up succeeded: ${quota} added.`,
    requestFailed: 'request failed',
    unusable: /You have redeemed this code already/,
    noShop: 'This site has no shop.',
    promotion: '60 % off',
    buyHere: 'Buy quota for this account',
    anyPackage: /^Buy \$/,
    buyTen: 'Buy $10 for ¥4, opens the shop in a new tab',
    group: 'Join the group',
    invoice: 'Request an invoice',
    partner: 'Partner plan',
    example: 'You earn ¥2.50 for every $100',
    inviteLink: 'Invite link',
    giftCode: 'Gift code',
    missing: '¥97.50 more until you can withdraw',
    friends: 'Invited friends',
    validity: 'Quota is valid for 9 months.',
    withdrawal:
      /You can withdraw earnings of ¥100 or more by Alipay or in USDT\. .* about 24\shours/,
    nobody: 'No friends yet. Send your invite link to a friend.',
  },
  zh: {
    list: '兑换码',
    add: '添加兑换码',
    name: '名称',
    quota: '额度',
    count: '生成数量',
    create: '生成',
    nameError: '请填写名称，1 到 20 个字符。',
    madeTitle: (name: string) => `${name} 的兑换码`,
    codes: '兑换码，每行一个',
    copyAll: '全部复制',
    back: '返回列表',
    copyCode: '复制兑换码',
    editTitle: (name: string) => `编辑兑换码 ${name}`,
    saved: '兑换码更新成功！',
    disabled: '已禁用',
    used: '已使用',
    usedReason: '已使用的兑换码不能修改。',
    deleteVerb: (name: string) => `删除 ${name}`,
    topUp: '充值',
    key: '兑换码',
    keyError: '请输入兑换码！',
    gift: '礼品码',
    redeem: '兑换',
    done: (quota: string) => `充值成功，到账 ${quota}！`,
    requestFailed: '请求失败',
    unusable: /你已经使用过该兑换码/,
    noShop: '本站尚未设置商店',
    promotion: '4 折',
    buyHere: '为当前账户购买额度',
    anyPackage: /^以 ¥/,
    buyTen: '以 ¥4 购买 $10 额度，在新标签页打开商店',
    group: '加入交流群',
    invoice: '申请发票',
    partner: '合伙人计划',
    example: '你邀请的好友每充值 $100，你可得 ¥2.50 返现。',
    inviteLink: '邀请链接',
    giftCode: '礼品码',
    missing: '还差 ¥97.50 可提现',
    friends: '已邀请的好友',
    validity: '额度有效期为 9 个月。',
    withdrawal: /满 ¥100 即可提现，支持支付宝或 USDT，审核约需 24\s小时/,
    nobody: '还没有邀请好友',
  },
} as const

const LANGUAGES: readonly Language[] = ['en', 'zh']
const PASSWORD = 'a long password'
const DOLLAR = 500_000

const world = openOneWorld()
const session = sessionOf(world)

const setOption = (key: string, value: unknown) =>
  world.asRoot(optionEndpoints.updateOption, {
    body: { key, value: typeof value === 'string' ? value : JSON.stringify(value) },
  })

async function makeCode(name: string, quota: number): Promise<string> {
  const { data } = await world.asRoot(redemptionEndpoints.createRedemptions, {
    body: { name, quota, count: 1 },
  })
  const [code] = data
  if (code === undefined) throw new Error('no code was made')
  return code
}

/** A page of a new user; names have at most 12 characters. */
async function asNewcomer(username: string, language: Language): Promise<Page> {
  await addUser(world, username, PASSWORD)
  const user = await signedIn(world, { username, password: PASSWORD })
  return world.open({ language, session: user })
}

test('the texts are the same messages in both languages', () => {
  const { promotion, anyPackage, example } = OWN_TEXTS.en
  return expectTranslated(OWN_TEXTS, [promotion, String(anyPackage), example])
})

describe.each(LANGUAGES)('in %s', (language) => {
  const texts = TEXTS[language]
  const own = OWN_TEXTS[language]

  test('packages lead to the shop, which learns who buys', async () => {
    await setOption('TopUpLink', '')
    await setOption('Links', {})
    await setOption('TopUpPackages', DEFAULT_TOP_UP_PACKAGES)
    const page = await asNewcomer(`buyer-${language}`, language)
    await page.goto('/topup')
    await page.getByText(own.noShop).waitFor()
    expect(await page.getByRole('link', { name: own.buyTen }).count()).toBe(0)
    expect(await page.getByRole('main').getByText('¥').count()).toBe(0)
    expect(await page.getByText(own.promotion).count()).toBe(0)

    const now = Math.floor(Date.now() / 1000)
    const promotion = { percent: 40, from: now - 60, until: now + 86_400 }
    await setOption('TopUpLink', 'https://pay.example/buy?from=console')
    await setOption('Links', { shop: 'https://shop.example', group: 'https://chat.example/g' })
    await setOption('TopUpPackages', { ...DEFAULT_TOP_UP_PACKAGES, promotion })
    await page.reload()
    await page.getByText(own.promotion).waitFor()
    await page.getByText(own.validity).waitFor()
    expect(await page.getByRole('link', { name: own.anyPackage }).count()).toBe(5)
    const ten = page.getByRole('link', { name: own.buyTen })
    expect(await ten.getAttribute('href')).toBe('https://shop.example')
    expect(await page.getByRole('link', { name: own.group }).getAttribute('href')).toBe(
      'https://chat.example/g',
    )
    expect(await page.getByRole('link', { name: own.invoice }).count()).toBe(0)

    const buy = page.getByRole('link', { name: own.buyHere })
    const first = new URL((await buy.getAttribute('href')) ?? '')
    expect(first.searchParams.get('from')).toBe('console')
    expect(first.searchParams.get('username')).toBe(`buyer-${language}`)
    expect(first.searchParams.get('user_id')).toMatch(/^\d+$/)
    const opened = page.waitForEvent('popup')
    await buy.click()
    await (await opened).close()
    const idOf = async () =>
      new URL((await buy.getAttribute('href')) ?? '').searchParams.get('transaction_id')
    await expect.poll(idOf).not.toBe(first.searchParams.get('transaction_id'))
  })

  test('an invited friend is listed among the friends, and a top-up among the earnings', async () => {
    const visitor = await world.open({ language })
    await visitor.goto('/partnerplan')
    await heading(visitor, own.partner).waitFor()
    await visitor.getByText(own.example).waitFor()
    await visitor.getByText(own.withdrawal).waitFor()
    expect(await visitor.getByText(own.inviteLink, { exact: true }).count()).toBe(0)

    const page = await asNewcomer(`host-${language}`, language)
    await page.goto('/partnerplan')
    await page.getByText(own.nobody).waitFor()
    const shown = page.getByLabel(own.inviteLink, { exact: true })
    await expect.poll(() => shown.textContent()).toMatch(/\/register\?aff=\w{5,}$/)
    const link = (await shown.textContent()) ?? ''
    const gift = (await page.getByLabel(own.giftCode, { exact: true }).textContent()) ?? ''
    expect(link.endsWith(gift)).toBe(true)

    const friend = `guest-${language}`
    const answer = await visitor.request.post('/api/user/register', {
      data: {
        username: friend,
        password: PASSWORD,
        password2: PASSWORD,
        aff_code: new URL(link).searchParams.get('aff'),
      },
    })
    expect(await answer.json()).toMatchObject({ success: true })
    await signIn(visitor, texts, { username: friend, password: PASSWORD })
    await visitor.goto('/topup')
    await visitor
      .getByLabel(own.key, { exact: true })
      .fill(await makeCode(`big-${language}`, 100 * DOLLAR))
    await visitor.getByLabel(own.gift, { exact: true }).fill(gift)
    await visitor.getByRole('button', { name: own.redeem, exact: true }).click()
    await message(visitor, own.done('$105.00')).waitFor()

    await page.reload()
    await page.getByRole('cell', { name: friend }).waitFor()
    await page.getByText('¥2.50', { exact: true }).waitFor()
    await page.getByText(own.missing).waitFor()
  })

  // The rest follows the same paths in Chinese; translations.ts proves its texts.
  if (language === 'zh') return

  test.each([{ isPhone: true }, {}] as const)(
    'every button is within its card: %o',
    async (look) => {
      const address = 'https://links.example'
      await setOption('TopUpLink', '')
      await setOption('Links', { shop: address, group: address, invoice: address, custom: address })
      const page = await world.open({ language, session, ...look })
      await page.goto('/topup')
      await page.getByRole('link', { name: own.invoice }).waitFor()
      const beyond = await page.evaluate<number[]>(
        "[...document.querySelectorAll('main li')].map((card) => card.scrollWidth - card.clientWidth)",
      )
      expect(beyond).toEqual(Array.from({ length: 8 }, () => 0))
    },
  )

  test('codes are created, saved as a file, copied, renamed, disabled and deleted', async () => {
    const name = `spring-${language}`
    const page = await world.open({ language, session })
    await page.goto('/redemption/add')
    await page.getByRole('button', { name: own.create, exact: true }).click()
    await page.getByText(own.nameError).waitFor()
    expect(await page.getByLabel(own.quota, { exact: true }).inputValue()).toBe('$0.2')
    expect(await page.getByLabel(own.count, { exact: true }).inputValue()).toBe('1')

    await page.getByLabel(own.name, { exact: true }).fill(name)
    await page.getByLabel(own.count, { exact: true }).fill('3')
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: own.create, exact: true }).click()
    const download = await saving
    expect(download.suggestedFilename()).toBe(`${name}.txt`)
    const file = await text(await download.createReadStream())
    expect(file).toMatch(/^(?:[0-9a-f]{32}\n){3}$/)

    await heading(page, own.madeTitle(name)).waitFor()
    expect(await page.getByLabel(own.codes).inputValue()).toBe(file.trim())
    await page.getByRole('button', { name: own.copyAll }).click()
    await message(page, texts.copied).waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(file.trim())

    await page.getByRole('link', { name: own.back }).click()
    await heading(page, own.list).waitFor()
    const search = page.getByRole('search').getByRole('textbox')
    await search.fill(name)
    await search.press('Enter')
    await expect.poll(() => rowOf(page, name).count()).toBe(3)

    const [code = ''] = file.split('\n')
    const { data } = await world.asRoot(redemptionEndpoints.searchRedemptions, {
      query: { keyword: code },
    })
    const row = `${name} #${data[0]?.id}`
    expect(await page.getByText(code).count()).toBe(0)
    await chooseAction(page, texts, row, own.copyCode)
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(code)

    await chooseAction(page, texts, row, texts.disable)
    await page
      .getByRole('row')
      .filter({ hasText: code.slice(0, 4) })
      .getByText(own.disabled)
      .waitFor()

    await chooseAction(page, texts, row, texts.edit)
    await heading(page, own.editTitle(name)).waitFor()
    await page.getByLabel(own.name, { exact: true }).fill('summer')
    await page.getByRole('button', { name: texts.save }).click()
    await message(page, own.saved).waitFor()

    const renamed = row.replace(name, 'summer')
    await chooseAction(page, texts, renamed, texts.delete)
    await page.getByRole('button', { name: own.deleteVerb(renamed), exact: true }).click()
    await rowOf(page, 'summer').waitFor({ state: 'detached' })
  })

  test('a code is redeemed once, shown in the balance, and then only in the history', async () => {
    const username = `payer-${language}`
    const code = await makeCode(`gift-${language}`, 3 * DOLLAR)
    const page = await asNewcomer(username, language)
    await page.goto('/topup')
    const redeem = page.getByRole('button', { name: own.redeem, exact: true })
    await redeem.click()
    await page.getByText(own.keyError).waitFor()
    await page.getByLabel(own.key, { exact: true }).fill(`${'a1'.repeat(16)} `.repeat(4))
    await page.getByText('Redeem one code at a time.').waitFor()

    const key = page.getByLabel(own.key, { exact: true })
    // Chat programs put invisible characters into copied text.
    await key.fill(`\u200b ${code.slice(0, 8)} ${code.slice(8)}\ufeff`)
    await redeem.click()
    await message(page, own.done('$3.00')).waitFor()
    await page.getByRole('definition').filter({ hasText: '$3.00' }).waitFor()
    expect(await key.inputValue()).toBe('')

    await key.fill(code)
    await redeem.click()
    await page.locator('#main').getByText(own.unusable).waitFor()
    await page.route('**/api/user/topup', (route) => route.abort())
    await redeem.click()
    await message(page, own.requestFailed).waitFor()

    const root = await world.open({ language, session })
    await root.goto('/redemption')
    const row = rowOf(root, `gift-${language}`)
    await row.getByText(own.used, { exact: true }).waitFor()
    await row.getByText(username).waitFor()
    await row.locator('[data-row-menu]').click()
    const toggle = root.getByRole('menuitem', { name: texts.disable })
    expect(await toggle.getAttribute('aria-disabled')).toBe('true')
    await toggle.getByText(own.usedReason).waitFor()
  })
})

test('friends are listed ten per page', async () => {
  const own = OWN_TEXTS.en
  const page = await asNewcomer('popular', 'en')
  await page.goto('/partnerplan')
  await page.getByText(own.nobody).waitFor()
  const shown = page.getByLabel(own.inviteLink, { exact: true })
  await expect.poll(() => shown.textContent()).toContain('aff=')
  const link = (await shown.textContent()) ?? ''
  for (let friend = 0; friend < 11; friend += 1) {
    const answer = await page.request.post('/api/user/register', {
      data: {
        username: `friend-${friend}`,
        password: PASSWORD,
        password2: PASSWORD,
        aff_code: new URL(link).searchParams.get('aff'),
      },
    })
    expect(await answer.json()).toMatchObject({ success: true })
  }
  await page.reload()
  const rows = page.getByRole('table', { name: own.friends }).locator('tbody tr')
  await expect.poll(() => rows.count()).toBe(10)
  await rows.first().getByText('friend-10').waitFor()
  const asked = page.waitForRequest(/friends\?page=2&size=10$/)
  await page.getByRole('button', { name: 'Page 2', exact: true }).click()
  await asked
  await expect.poll(() => rows.count()).toBe(1)
  await rows.first().getByText('friend-0').waitFor()
})
