import { isMantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { LANGUAGE_NAMES } from '../i18n/messages.ts'
import { changeLanguage, currentLanguage } from '../i18n/setup.ts'
import { formatQuota, NO_VALUE } from '../lib/format.ts'
import { selfQuery } from '../lib/self.ts'
import { useMoney } from '../lib/status.ts'
import { useLogout } from './use-logout.ts'

export type MenuKind = 'language' | 'theme' | 'user'

const ITEMS = { language: LanguageItems, theme: ThemeItems, user: UserItems } as const

/** A header menu that opens as soon as it is there. */
export function OpenedMenu({ kind, button }: { kind: MenuKind; button: ReactElement }) {
  const Items = ITEMS[kind]
  return (
    <Menu defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Items />
      </Menu.Dropdown>
    </Menu>
  )
}

function LanguageItems() {
  return (
    <Menu.RadioGroup
      value={currentLanguage()}
      onChange={(value) => void changeLanguage(value === 'zh' ? 'zh' : 'en')}
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
  const { data } = useQuery(selfQuery)
  const logout = useLogout()
  return (
    <>
      <Menu.Label>
        <span className="numbers">
          {t('common.frame.balance', { quota: data ? formatQuota(data.quota, money) : NO_VALUE })}
        </span>
      </Menu.Label>
      <Menu.Item component={Link} to="/setting">
        {t('common.frame.settings')}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item onClick={() => logout.mutate()}>{t('common.frame.logout')}</Menu.Item>
    </>
  )
}
