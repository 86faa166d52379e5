import { z } from 'zod'
import { line, option } from './option-row.ts'
import { rule } from './problem.ts'
import { DEFAULT_TOP_UP_PACKAGES, topUpPackages } from './top-up-packages.ts'
import { publicAddress } from './web-address.ts'

const prose = z.string().max(100_000)
const THEMES = ['auto', 'light', 'dark'] as const

/** Theme names of older front ends are accepted and mean `auto`. */
const theme = z
  .enum([...THEMES, 'default', 'berry', 'air'])
  .transform((name) => THEMES.find((known) => known === name) ?? 'auto')

/**
 * Named addresses the console links to, such as `pricing`, `docs`, `shop`. Unset links are hidden.
 */
const links = z.record(
  z
    .string()
    .refine(
      (name) => /^[a-z][a-z_]{0,49}$/.test(name),
      rule(
        'must be named by 1 to 50 small letters and underscores',
        '名称只能由 1 到 50 个小写字母和下划线组成',
      ),
    ),
  publicAddress.refine((url) => url !== '', rule('must be an address', '必须是地址')),
)

export const OTHER_OPTIONS = {
  SystemName: option(
    line.min(1).max(50),
    'Tollgate',
    'other',
    { en: 'System name', zh: '系统名称' },
    { public: 'system_name' },
  ),
  Logo: option(
    publicAddress,
    '',
    'other',
    { en: 'Logo address', zh: 'Logo 图片地址' },
    { public: 'logo' },
  ),
  Theme: option(theme, 'auto', 'other', { en: 'Theme', zh: '主题' }, { public: 'theme' }),
  Notice: option(prose, '', 'other', { en: 'Notice', zh: '公告' }, { public: 'notice' }),
  HomePageContent: option(
    prose,
    '',
    'other',
    { en: 'Home page content', zh: '首页内容' },
    { public: 'home_page_content' },
  ),
  About: option(prose, '', 'other', { en: 'About', zh: '关于' }),
  Terms: option(prose, '', 'other', { en: 'Terms and conditions', zh: '服务条款' }),
  Footer: option(prose, '', 'other', { en: 'Footer', zh: '页脚' }, { public: 'footer_html' }),
  Links: option(links, {}, 'other', { en: 'Links', zh: '链接' }, { public: 'links' }),
  TopUpPackages: option(
    topUpPackages,
    DEFAULT_TOP_UP_PACKAGES,
    'other',
    { en: 'Top-up packages', zh: '充值套餐' },
    { public: 'top_up_packages' },
  ),
  ReleaseAddress: option(
    publicAddress,
    '',
    'other',
    { en: 'Address that names the latest release', zh: '检查更新的地址' },
    { public: 'release_address' },
  ),
} as const
