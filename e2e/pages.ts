import { redemptionEndpoints, tokenEndpoints } from '@tollgate/contract'
import type { Texts } from './texts.ts'
import type { World } from './world.ts'

export type PageRow = {
  path: string
  title: (texts: Texts) => string
  /** The role that the page needs. Logged-in users may also open pages for anyone. */
  access: 'anyone' | 'user' | 'admin'
  /** The page needs an answer to its own calls before it can be shown. */
  reads?: true
  /** The page asks again while it waits for something to happen. */
  asksAgain?: true
}

/** Every page of the console, as the first user after the installation sees it. */
export const PAGES: readonly PageRow[] = [
  { path: '/', title: ({ pages }) => pages.home, access: 'anyone' },
  { path: '/login', title: ({ pages }) => pages.login, access: 'anyone' },
  { path: '/register', title: ({ pages }) => pages.register, access: 'anyone' },
  { path: '/reset', title: ({ pages }) => pages.reset, access: 'anyone' },
  { path: '/user/reset', title: ({ pages }) => pages.reset, access: 'anyone' },
  { path: '/reminder/stop', title: ({ pages }) => pages.stop, access: 'anyone' },
  { path: '/terms', title: ({ pages }) => pages.terms, access: 'anyone', reads: true },
  { path: '/about', title: ({ pages }) => pages.about, access: 'anyone', reads: true },
  { path: '/pricing', title: ({ pages }) => pages.pricing, access: 'anyone' },
  { path: '/docs', title: ({ pages }) => pages.docs, access: 'anyone' },
  { path: '/cheap', title: ({ pages }) => pages.cheap, access: 'anyone' },
  { path: '/chat', title: ({ pages }) => pages.chat, access: 'anyone' },
  { path: '/partnerplan', title: ({ pages }) => pages.partnerPlan, access: 'anyone', reads: true },
  { path: '/dashboard', title: ({ pages }) => pages.dashboard, access: 'user', reads: true },
  { path: '/usage', title: ({ pages }) => pages.usage, access: 'user', reads: true },
  { path: '/catalog', title: ({ pages }) => pages.catalog, access: 'user', reads: true },
  { path: '/play', title: ({ pages }) => pages.play, access: 'user', reads: true },
  { path: '/token', title: ({ pages }) => pages.tokens, access: 'user', reads: true },
  { path: '/token/add', title: ({ pages }) => pages.tokenForm, access: 'user' },
  // The administrator's own token.
  { path: '/token/edit/1', title: ({ pages }) => pages.tokenEdit, access: 'admin', reads: true },
  {
    path: '/token/connect/1',
    title: ({ pages }) => pages.connect,
    access: 'admin',
    reads: true,
    asksAgain: true,
  },
  { path: '/log', title: ({ pages }) => pages.logs, access: 'user', reads: true },
  { path: '/topup', title: ({ pages }) => pages.topUp, access: 'user', reads: true },
  { path: '/billing', title: ({ pages }) => pages.billing, access: 'user', reads: true },
  { path: '/setting', title: ({ pages }) => pages.settings, access: 'user', reads: true },
  {
    path: '/setting/operation',
    title: ({ pages }) => pages.settings,
    access: 'admin',
    reads: true,
  },
  { path: '/setting/system', title: ({ pages }) => pages.settings, access: 'admin', reads: true },
  { path: '/setting/prices', title: ({ pages }) => pages.settings, access: 'admin', reads: true },
  { path: '/system-status', title: ({ pages }) => pages.status, access: 'admin', reads: true },
  { path: '/alert', title: ({ pages }) => pages.alerts, access: 'admin', reads: true },
  { path: '/bill', title: ({ pages }) => pages.bills, access: 'admin', reads: true },
  { path: '/setting/other', title: ({ pages }) => pages.settings, access: 'admin', reads: true },
  { path: '/user/edit', title: ({ pages }) => pages.account, access: 'user', reads: true },
  { path: '/channel', title: ({ pages }) => pages.channels, access: 'admin', reads: true },
  { path: '/channel/1', title: () => 'openai-main', access: 'admin', reads: true },
  { path: '/channel/add', title: ({ pages }) => pages.channelForm, access: 'admin' },
  {
    path: '/channel/edit/1',
    title: ({ pages }) => pages.channelEdit,
    access: 'admin',
    reads: true,
  },
  { path: '/user', title: ({ pages }) => pages.users, access: 'admin', reads: true },
  { path: '/user/token', title: ({ pages }) => pages.userTokens, access: 'admin', reads: true },
  { path: '/user/add', title: ({ pages }) => pages.userAdd, access: 'admin' },
  { path: '/user/1', title: () => 'root', access: 'admin', reads: true },
  { path: '/user/edit/1', title: ({ pages }) => pages.rootEdit, access: 'admin', reads: true },
  { path: '/redemption', title: ({ pages }) => pages.redemptions, access: 'admin', reads: true },
  { path: '/redemption/add', title: ({ pages }) => pages.redemptionForm, access: 'admin' },
  {
    path: '/redemption/edit/1',
    title: ({ pages }) => pages.redemptionEdit,
    access: 'admin',
    reads: true,
  },
]

/**
 * Creates what the edit pages above edit, the first row of each kind. A world that has users
 * already has a token.
 */
export async function addEdited(world: World) {
  await world.addChannel('openai-main', 'gpt-4o')
  await world.asRoot(tokenEndpoints.createToken, { body: { name: 'web shop' } })
  await addEditedCode(world)
}

export const addEditedCode = (world: World) =>
  world.asRoot(redemptionEndpoints.createRedemptions, { body: { name: 'spring', quota: 500_000 } })
