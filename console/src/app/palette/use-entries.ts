import { useMantineColorScheme } from '@mantine/core'
import type { SessionUser, Status } from '@tollgate/contract'
import { LANGUAGE_NAMES } from '../../i18n/messages.ts'
import { changeLanguage } from '../../i18n/setup.ts'
import { TRANSLATE, currentLanguage } from '../../i18n/texts.ts'
import type { MessageKey } from '../../i18n/types.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import type { FeaturePage, NavItem } from '../../lib/feature.ts'
import { useSession } from '../../lib/session.ts'
import { linkOf, useStatus } from '../../lib/status.ts'
import { features, navItems } from '../features.ts'
import { useLogout } from '../use-logout.ts'
import { mayOpen } from '../use-nav-items.ts'
import type { Entry } from './entry.ts'
import './messages.ts'
import { NAMES_IN_OTHER_GATEWAYS } from './names-in-other-gateways.messages.ts'

const THEMES = [
  ['auto', 'common.frame.themeAuto'],
  ['light', 'common.frame.themeLight'],
  ['dark', 'common.frame.themeDark'],
] as const

/** Pages reached only from elsewhere: a row, an email, an identity provider. */
const isPassedThrough = ({ path }: FeaturePage) =>
  /:|^\/(?:oauth\/|user\/reset$|reminder\/)/.test(path)

const isForVisitors = ({ path }: FeaturePage) => /^\/(?:login|register|reset)$/.test(path)

const itemOf = ({ path }: FeaturePage): NavItem | undefined =>
  navItems.find((item) => item.path === path)

function isReachable(page: FeaturePage, user: SessionUser | null, status: Status | undefined) {
  if (isPassedThrough(page) || !mayOpen(page.access, user)) return false
  if (isForVisitors(page) && user) return false
  // The route is public, but without an account there is nothing to edit.
  if (page.path === '/user/edit' && !user) return false
  const link = itemOf(page)?.link
  return !link || linkOf(status, link) !== ''
}

/** In both languages, so that either finds the entry. */
const inBoth = (key: MessageKey) =>
  (['en', 'zh'] as const).map((language) => TRANSLATE[language](key)).join(' ')

/** Position of pages without a menu entry: last. */
const AFTER_ALL = 1000

const orderOf = (page: FeaturePage) => itemOf(page)?.position ?? AFTER_ALL

/** The titles, the path, and the names of the page in other gateways. */
export const wordsOfPage = ({ path, title }: Pick<FeaturePage, 'path' | 'title'>) =>
  `${inBoth(title)} ${path} ${NAMES_IN_OTHER_GATEWAYS[path] ?? ''}`

function usePages(): Entry[] {
  const { t } = useTranslation()
  const user = useSession()
  const status = useStatus()
  return features
    .flatMap(({ pages }) => pages)
    .filter((page) => isReachable(page, user, status))
    .toSorted((a, b) => orderOf(a) - orderOf(b))
    .map(({ path, title }) => ({
      id: path,
      group: path.endsWith('/add') ? 'actions' : 'pages',
      label: t(title),
      words: `${t(title)} ${wordsOfPage({ path, title })}`,
      to: path,
    }))
}

function useActions(onShortcuts: () => void): Entry[] {
  const { t } = useTranslation()
  const user = useSession()
  const logout = useLogout()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const other = currentLanguage() === 'zh' ? 'en' : 'zh'
  const action = (id: string, label: string, words: string, act: () => void): Entry => ({
    id,
    group: 'actions',
    label,
    words: `${label} ${words}`,
    act,
  })
  return [
    action(
      'language',
      t('palette.action.language', { name: LANGUAGE_NAMES[other] }),
      inBoth('common.frame.language'),
      () => changeLanguage(other),
    ),
    ...THEMES.filter(([scheme]) => scheme !== colorScheme).map(([scheme, name]) =>
      action(
        scheme,
        t('palette.action.theme', { name: t(name) }),
        `${inBoth('common.frame.theme')} ${inBoth(name)}`,
        () => setColorScheme(scheme),
      ),
    ),
    action(
      'shortcuts',
      t('palette.action.shortcuts'),
      inBoth('palette.action.shortcuts'),
      onShortcuts,
    ),
    ...(user
      ? [
          action('logout', t('common.frame.logout'), inBoth('common.frame.logout'), () =>
            logout.mutate(),
          ),
        ]
      : []),
  ]
}

export function useEntries(onShortcuts: () => void): Entry[] {
  const pages = usePages()
  const actions = useActions(onShortcuts)
  const isAction = ({ group }: Entry) => group === 'actions'
  return [...pages, ...actions].toSorted((a, b) => Number(isAction(a)) - Number(isAction(b)))
}
