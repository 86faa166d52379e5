import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { errorText } from '../../lib/report-error.ts'
import { useLeaveGuard } from '../../lib/use-leave-guard.ts'
import { Failed } from '../../ui/failed.tsx'
import { Arriving } from '../../ui/lazy-fallback.tsx'
import { Loading } from '../../ui/loading.tsx'
import { SettingFrame } from '../../ui/setting-frame.tsx'
import { OptionContext } from './option-context.ts'
import { optionsQuery } from './queries.ts'
import type { Section } from './sections.ts'
import classes from './settings.module.css'

const loadHistory = async () => (await import('./history-dialog.tsx')).HistoryDialog

type Props = { title: string; sections: readonly Section[]; children: ReactNode }

/** Tab of options: loads the options, guards unsaved changes and links to the change history. */
export function OptionTab({ title, sections, children }: Props) {
  const { t } = useTranslation()
  const { data, error, refetch, isFetchedAfterMount } = useQuery(optionsQuery)
  const [isHistoryOpen, setIsHistoryOpen] = useState(false)
  const closeHistory = () => setIsHistoryOpen(false)
  const [unsaved, setUnsaved] = useState<ReadonlySet<string>>(new Set())
  useLeaveGuard(unsaved.size > 0)
  const onUnsaved = useCallback(
    (id: string, isUnsaved: boolean) =>
      setUnsaved((current) => {
        if (current.has(id) === isUnsaved) return current
        const next = new Set(current)
        if (isUnsaved) next.add(id)
        else next.delete(id)
        return next
      }),
    [],
  )
  const stored = isFetchedAfterMount ? data : undefined
  const context = useMemo(() => stored && { stored, onUnsaved }, [stored, onUnsaved])
  if (error && !data) {
    return <Failed title={title} message={errorText(error)} onRetry={() => void refetch()} />
  }
  if (!context) return <Loading page={title} />
  return (
    <SettingFrame
      sections={sections.map((section) => ({ id: section.id, title: t(section.title) }))}
      actions={
        <Button
          variant="default"
          leftSection={<History size={14} aria-hidden />}
          onClick={() => setIsHistoryOpen(true)}
        >
          {t('settings.history.open')}
        </Button>
      }
    >
      <OptionContext value={context}>
        <Stack gap={40} className={classes['tab'] ?? ''}>
          {children}
        </Stack>
      </OptionContext>
      <ShowNamedSection />
      {isHistoryOpen && (
        <Arriving
          name={t('settings.history.open')}
          load={loadHistory}
          props={{ onClose: closeHistory }}
          onFail={closeHistory}
        />
      )}
    </SettingFrame>
  )
}

/** The browser looks for the URL's section before the tab is rendered. */
function ShowNamedSection() {
  const { hash } = useLocation()
  useEffect(() => {
    const id = hash.slice(1)
    if (id !== '') document.getElementById(id)?.scrollIntoView()
  }, [hash])
  return null
}
