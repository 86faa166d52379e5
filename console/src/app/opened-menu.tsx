import { isMantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactElement, type RefObject, useEffect, useState } from 'react'
import { LANGUAGE_NAMES } from '../i18n/messages.ts'
import { changeLanguage } from '../i18n/setup.ts'
import { currentLanguage } from '../i18n/texts.ts'
import { useTranslation } from '../i18n/use-translation.ts'
import { NAV_GROUPS } from '../lib/feature.ts'
import { formatQuota, NO_VALUE } from '../lib/format.ts'
import { Link } from '../lib/router/router.tsx'
import { selfQuery } from '../lib/self.ts'
import { useSession } from '../lib/session.ts'
import { useMoney } from '../lib/status.ts'
import { isUnlimited } from '../lib/unlimited.ts'
import classes from './layout.module.css'
import './nav.messages.ts'
import { useLogout } from './use-logout.ts'
import { useNavItems, useSection } from './use-nav-items.ts'

const ITEMS = {
  language: LanguageItems,
  theme: ThemeItems,
  user: UserItems,
  more: MoreItems,
} as const

export type MenuKind = keyof typeof ITEMS

type Props = {
  kind: MenuKind
  button: ReactElement
  target: RefObject<HTMLButtonElement | null>
  from: number
}

/** Opens on mount, because the click that triggered loading is over. */
export function OpenedMenu({ kind, button, target, from }: Props) {
  const Items = ITEMS[kind]
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    // This button replaced the pressed button, and the menu returns focus here.
    target.current?.focus()
    setIsOpen(true)
  }, [target])
  return (
    <Menu opened={isOpen} onChange={setIsOpen}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Items from={from} />
      </Menu.Dropdown>
    </Menu>
  )
}

function MoreItems({ from }: { from: number }) {
  const { t } = useTranslation()
  const section = useSection()
  const items = Map.groupBy(useNavItems().slice(from), ({ group }) => group)
  return NAV_GROUPS.filter((group) => items.has(group)).map((group) => (
    <Fragment key={group}>
      <Menu.Label>{t(`nav.group.${group}`)}</Menu.Label>
      {items.get(group)?.map(({ path, label }) => (
        <Menu.Item
          key={path}
          className={classes['menuItem'] ?? ''}
          component={Link}
          to={path}
          aria-current={path === section ? 'page' : undefined}
        >
          {t(label)}
        </Menu.Item>
      ))}
    </Fragment>
  ))
}

function LanguageItems() {
  return (
    <Menu.RadioGroup
      value={currentLanguage()}
      onChange={(value) => changeLanguage(value === 'zh' ? 'zh' : 'en')}
    >
      <Menu.RadioItem value="en" lang="en">
        {LANGUAGE_NAMES.en}
      </Menu.RadioItem>
      <Menu.RadioItem value="zh" lang="zh-CN">
        {LANGUAGE_NAMES.zh}
      </Menu.RadioItem>
    </Menu.RadioGroup>
  )
}

function ThemeItems() {
  const { t } = useTranslation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu.RadioGroup
      value={colorScheme}
      onChange={(value) => isMantineColorScheme(value) && setColorScheme(value)}
    >
      <Menu.RadioItem value="auto">{t('common.frame.themeAuto')}</Menu.RadioItem>
      <Menu.RadioItem value="light">{t('common.frame.themeLight')}</Menu.RadioItem>
      <Menu.RadioItem value="dark">{t('common.frame.themeDark')}</Menu.RadioItem>
    </Menu.RadioGroup>
  )
}

function UserItems() {
  const { t } = useTranslation()
  const money = useMoney()
  const user = useSession()
  const { data } = useQuery(selfQuery)
  const balance = (self: { role: number; quota: number }) =>
    isUnlimited(self) ? t('common.state.unlimited') : formatQuota(self.quota, money)
  const logout = useLogout()
  return (
    <>
      <Menu.Label className={classes['menuName'] ?? ''}>
        <strong>{user?.display_name || user?.username}</strong>
        <span className="numbers">
          {t('common.frame.balance', { quota: data ? balance(data) : NO_VALUE })}
        </span>
      </Menu.Label>
      <Menu.Item component={Link} to="/setting">
        {t('common.frame.settings')}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Label>{t('common.frame.language')}</Menu.Label>
      <LanguageItems />
      <Menu.Divider />
      <Menu.Label>{t('common.frame.theme')}</Menu.Label>
      <ThemeItems />
      <Menu.Divider />
      <Menu.Item onClick={() => logout.mutate()}>{t('common.frame.logout')}</Menu.Item>
    </>
  )
}
