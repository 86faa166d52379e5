import { expect, test } from 'vitest'
import { TRANSLATE } from '../../i18n/texts.ts'
import { features } from '../features.ts'
import { matching } from './match.ts'
import { NAMES_IN_OTHER_GATEWAYS } from './names-in-other-gateways.messages.ts'
import { wordsOfPage } from './use-entries.ts'

const pages = features.flatMap((feature) => feature.pages)

const entries = pages.map((page) => ({ path: page.path, words: wordsOfPage(page) }))

test('every page with other names exists', () => {
  const paths = new Set(pages.map(({ path }) => path))
  expect(Object.keys(NAMES_IN_OTHER_GATEWAYS).filter((path) => !paths.has(path))).toEqual([])
})

test.each([
  ['令牌管理', '/token'],
  ['渠道管理', '/channel'],
  ['模型重定向', '/channel'],
  ['兑换码管理', '/redemption'],
  ['卡密', '/redemption'],
  ['用户管理', '/user'],
  ['使用日志', '/log'],
  ['操练场', '/play'],
  ['钱包管理', '/topup'],
  ['模型广场', '/catalog'],
  ['模型定价', '/setting/prices'],
  ['速率限制', '/setting/operation'],
  ['个人设置', '/setting'],
  ['playground', '/play'],
  ['api keys', '/token'],
  ['vouchers', '/redemption'],
  ['wallet', '/topup'],
  ['redeem', '/redemption'],
  ['coupon', '/redemption'],
  ['优惠券', '/redemption'],
  ['cost tracking', '/usage'],
  ['model hub', '/catalog'],
  ['sso', '/setting/system'],
])('%s leads to %s', (typed, path) => {
  expect(matching(entries, typed).map((entry) => entry.path)).toContain(path)
})

const titles = pages.flatMap(({ path, title }) =>
  (['en', 'zh'] as const).map((language) => [TRANSLATE[language](title), path] as const),
)

test.each(titles)('%s finds first a page with this title (%s)', (typed) => {
  const first = matching(entries, typed)[0]?.path
  expect(titles).toContainEqual([typed, first])
})
