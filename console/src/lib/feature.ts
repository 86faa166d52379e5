import type { QueryFunction, QueryKey } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import type { MessageKey } from '../i18n/types.ts'
import type { LinkName } from './status.ts'

/** Checked against the user stored in this browser. The server enforces access separately. */
export type PageAccess = 'public' | 'user' | 'admin'

/** A switch of the operator that opens a page to visitors. */
export type PublicSwitch = 'public_catalog' | 'public_status'

/** Headings of the entries that do not fit into the menu bar, in their order. */
export const NAV_GROUPS = ['traffic', 'supply', 'demand', 'help'] as const

/** Entry of the main menu; lower positions come first. */
export type NavItem = {
  path: string
  label: MessageKey
  access: PageAccess
  position: number
  group: (typeof NAV_GROUPS)[number]
  /** Opens the page after the key g. */
  key?: string
  /** Shown only while the operator has set this address. */
  link?: LinkName
  /** Also shown to visitors while the operator has switched this on. */
  publicIf?: PublicSwitch
}

type PageQuery<Answer, Key extends QueryKey> = {
  queryKey: Key
  queryFn?: QueryFunction<Answer, Key>
}

export type Ask = <Answer, Key extends QueryKey>(query: PageQuery<Answer, Key>) => void

/**
 * A page that says what it asks is drawn once, with the answers, if they arrive while the frame is
 * drawn. Others ask when they are drawn.
 */
export type PageContent = ComponentType & { asks?: (ask: Ask, search: URLSearchParams) => void }

export type FeaturePage = {
  path: string
  title: MessageKey
  access: PageAccess
  publicIf?: PublicSwitch
  /**
   * Path of the menu entry this page belongs to, if no entry of its feature is a prefix of its
   * path.
   */
  section?: string
  /** Reachable while the account must still set up its second factor. */
  isBeforeFactor?: true
  /** Written with `then`, which compiles to less code than `await`: all pages are in the shell. */
  load: () => Promise<PageContent>
}

type Texts = { en: object; zh: object }

/** Everything a feature adds to the console. `name` is the prefix of its message keys. */
export type Feature = {
  name: string
  /** Texts needed before a page is loaded, under the key `<name>Title`. */
  titles: Texts
  messages: () => Promise<Texts>
  nav?: readonly NavItem[]
  pages: readonly FeaturePage[]
}
