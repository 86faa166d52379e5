import type { ComponentType } from 'react'
import type { MessageKey } from '../i18n/types.ts'
import type { LinkName } from './status.ts'

/** Judged by the user kept in this browser; the server judges by its own. */
export type PageAccess = 'public' | 'user' | 'admin'

/** An entry of the main menu; the lower the position, the further left. */
export type NavItem = {
  path: string
  label: MessageKey
  access: PageAccess
  position: number
  /** Stands in the menu only while the operator has set this address. */
  link?: LinkName
}

/** A page, loaded as a chunk of its own. */
export type FeaturePage = {
  path: string
  title: MessageKey
  access: PageAccess
  /** The menu entry it belongs to, where its path does not begin with that of one of the feature. */
  section?: string
  /** Also open while the account has to set up its second factor first. */
  isBeforeFactor?: true
  load: () => Promise<ComponentType>
}

type Texts = { en: object; zh: object }

/** What a feature adds to the console; `name` is the first part of the keys of its messages. */
export type Feature = {
  name: string
  /** Under `<name>Title`: the texts needed before a page is loaded. */
  titles: Texts
  messages: () => Promise<Texts>
  nav: readonly NavItem[]
  pages: readonly FeaturePage[]
}
