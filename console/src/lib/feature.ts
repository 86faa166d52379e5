import type { RouteObject } from 'react-router'
import type { MessageKey } from '../i18n/types.ts'

/** An entry of the main menu; the lower the position, the further left. */
export type NavItem = {
  path: string
  label: MessageKey
  access: 'user' | 'admin'
  position: number
}

/** What a feature adds to the console. `name` is the first part of the keys of its messages. */
export type Feature = {
  name: string
  routes: RouteObject[]
  nav: readonly NavItem[]
  messages: { en: object; zh: object }
}
