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
  Notice: option(prose, '', 'notice', {
    label: { en: 'Notice', zh: '公告' },
    hint: {
      en: 'Markdown or HTML. Shown to everybody until dismissed.',
      zh: '支持 Markdown 和 HTML，向所有人显示，直到其关闭。',
    },
    editor: 'prose',
    public: 'notice',
  }),
  SystemName: option(line.min(1).max(50), 'Tollgate', 'look', {
    label: { en: 'System name', zh: '系统名称' },
    public: 'system_name',
  }),
  Logo: option(publicAddress, '', 'look', {
    label: { en: 'Logo URL', zh: 'Logo 图片地址' },
    public: 'logo',
  }),
  Theme: option(theme, 'auto', 'look', {
    label: { en: 'Theme', zh: '主题' },
    hint: {
      en: 'Applies to users who have not chosen a theme.',
      zh: '对未自行选择主题的用户生效。',
    },
    editor: 'theme',
    public: 'theme',
  }),
  HomePageContent: option(prose, '', 'texts', {
    label: { en: 'Home page content', zh: '首页内容' },
    hint: { en: 'Replaces the default home page.', zh: '替换默认首页。' },
    editor: 'prose',
    public: 'home_page_content',
  }),
  About: option(prose, '', 'texts', {
    label: { en: 'About', zh: '关于' },
    hint: { en: 'Content of the page /about.', zh: '页面 /about 的内容。' },
    editor: 'prose',
  }),
  Terms: option(prose, '', 'texts', {
    label: { en: 'Terms and conditions', zh: '服务条款' },
    hint: {
      en: 'Content of the page /terms. Leave empty for the built-in terms.',
      zh: '页面 /terms 的内容，留空则使用内置条款。',
    },
    editor: 'prose',
  }),
  Footer: option(prose, '', 'texts', {
    label: { en: 'Footer', zh: '页脚' },
    hint: { en: 'Replaces the links at the bottom of every page.', zh: '替换所有页面底部的链接。' },
    editor: 'prose',
    public: 'footer_html',
  }),
  Links: option(links, {}, 'links', {
    label: { en: 'Links', zh: '链接' },
    hint: {
      en: 'Known names: pricing, docs, cheap, shop, group, invoice, custom, support, status, forum. Names consist of lowercase letters and underscores.',
      zh: '可用名称：pricing、docs、cheap、shop、group、invoice、custom、support、status、forum。名称只能由小写字母和下划线组成。',
    },
    editor: 'links',
    public: 'links',
  }),
  TopUpPackages: option(topUpPackages, DEFAULT_TOP_UP_PACKAGES, 'packages', {
    label: { en: 'Top-up packages', zh: '充值套餐' },
    editor: 'packages',
    public: 'top_up_packages',
  }),
  ReleaseAddress: option(publicAddress, '', 'updates', {
    label: { en: 'Release feed URL', zh: '检查更新的地址' },
    hint: {
      en: 'For example https://api.example/repos/owner/name/releases/latest.',
      zh: '例如 https://api.example/repos/owner/name/releases/latest。',
    },
    public: 'release_address',
  }),
} as const
