import type { ComponentType } from 'react'
import type { MessageKey } from '../i18n/types.ts'

/** An entry of the main menu; the lower the position, the further left. */
export type NavItem = {
  path: string
  label: MessageKey
  access: 'user' | 'admin'
  position: number
}

/** A page, loaded as a chunk of its own. */
export type FeaturePage = {
  path: string
  title: MessageKey
  /** Judged by the user kept in this browser; the server judges by its own. */
  access: 'public' | 'user' | 'admin'
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
