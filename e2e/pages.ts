import type { Texts } from './texts.ts'

export type PageRow = {
  path: string
  title: (texts: Texts) => string
  /** Whom the page is for; whoever is signed in also sees what is for anyone. */
  access: 'anyone' | 'user' | 'admin'
  /** Whether it cannot be shown without an answer to its own calls. */
  reads?: true
}

/** Every page of the console, as the first installed user sees it. */
export const PAGES: readonly PageRow[] = [
  { path: '/', title: ({ pages }) => pages.home, access: 'anyone' },
  { path: '/login', title: ({ pages }) => pages.login, access: 'anyone' },
  { path: '/register', title: ({ pages }) => pages.register, access: 'anyone' },
  { path: '/reset', title: ({ pages }) => pages.reset, access: 'anyone' },
  { path: '/terms', title: ({ pages }) => pages.terms, access: 'anyone', reads: true },
  { path: '/about', title: ({ pages }) => pages.about, access: 'anyone', reads: true },
  { path: '/pricing', title: ({ pages }) => pages.pricing, access: 'anyone' },
  { path: '/partnerplan', title: ({ pages }) => pages.partnerPlan, access: 'anyone', reads: true },
  { path: '/dashboard', title: ({ pages }) => pages.dashboard, access: 'user', reads: true },
  { path: '/token', title: ({ pages }) => pages.tokens, access: 'user', reads: true },
  { path: '/token/add', title: ({ pages }) => pages.tokenForm, access: 'user' },
  { path: '/log', title: ({ pages }) => pages.logs, access: 'user', reads: true },
  { path: '/topup', title: ({ pages }) => pages.topUp, access: 'user', reads: true },
  { path: '/setting', title: ({ pages }) => pages.settings, access: 'user', reads: true },
  {
    path: '/setting/operation',
    title: ({ pages }) => pages.settings,
    access: 'admin',
    reads: true,
  },
  { path: '/setting/system', title: ({ pages }) => pages.settings, access: 'admin', reads: true },
  { path: '/setting/other', title: ({ pages }) => pages.settings, access: 'admin', reads: true },
  { path: '/user/edit', title: ({ pages }) => pages.account, access: 'user', reads: true },
  { path: '/channel', title: ({ pages }) => pages.channels, access: 'admin', reads: true },
  { path: '/channel/add', title: ({ pages }) => pages.channelForm, access: 'admin' },
  { path: '/user', title: ({ pages }) => pages.users, access: 'admin', reads: true },
  { path: '/user/add', title: ({ pages }) => pages.userAdd, access: 'admin' },
  { path: '/user/edit/1', title: ({ pages }) => pages.rootEdit, access: 'admin', reads: true },
  { path: '/redemption', title: ({ pages }) => pages.redemptions, access: 'admin', reads: true },
  { path: '/redemption/add', title: ({ pages }) => pages.redemptionForm, access: 'admin' },
]
