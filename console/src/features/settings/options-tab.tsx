import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { type OptionSectionId, type OptionTab, sectionsOf } from '@tollgate/contract'
import { currentLanguage } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { errorText } from '../../lib/report-error.ts'
import { useLocation } from '../../lib/router/router.tsx'
import { useLeaveGuard } from '../../lib/use-leave-guard.ts'
import { Failed } from '../../ui/failed.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { Loading } from '../../ui/loading.tsx'
import { SettingFrame } from '../../ui/setting-frame.tsx'
import { OptionContext } from './option-context.ts'
import { OptionSection } from './option-section.tsx'
import { optionsQuery } from './queries.ts'
import classes from './settings.module.css'

const loadHistory = async () => (await import('./history-dialog.tsx')).HistoryDialog

type Props = {
  tab: OptionTab
  /** Actions below the options of a section. */
  extras: Partial<Record<OptionSectionId, ReactNode>>
}

/** Tab of options: loads the options, guards unsaved changes and links to the change history. */
export function OptionsTab({ tab, extras }: Props) {
  const { t } = useTranslation()
  const title = t(`settingsTitle.${tab}`)
  const sections = sectionsOf(tab)
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
      sections={sections.map(({ id, title: names }) => ({ id, title: names[currentLanguage()] }))}
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
          {sections.map((section) => (
            <OptionSection key={section.id} section={section}>
              {extras[section.id]}
            </OptionSection>
          ))}
        </Stack>
      </OptionContext>
      <ShowNamedSection />
      {isHistoryOpen && (
        <LazyPart
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
  const { hash, key } = useLocation()
  useEffect(() => {
    const id = hash.slice(1)
    if (id !== '') document.getElementById(id)?.scrollIntoView()
    // `key` changes when the palette leads to the same section again.
  }, [hash, key])
  return null
}
