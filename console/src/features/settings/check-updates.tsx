import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useStatus } from '../../lib/status.ts'
import { showSuccess } from '../../lib/toast.ts'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { isSameVersion, readLatestRelease, type Release } from './latest-release.ts'
import { useOptionContext } from './option-context.ts'
import { refusedWith } from './refused-error.ts'
import classes from './settings.module.css'

const loadDialog = async () => (await import('./release-dialog.tsx')).ReleaseDialog

export function CheckUpdates() {
  const { t } = useTranslation()
  const { stored } = useOptionContext()
  const version = useStatus()?.version ?? ''
  const [newer, setNewer] = useState<Release | null>(null)
  const close = () => setNewer(null)
  const address = stored['ReleaseAddress'] ?? ''
  const check = useMutation({
    mutationFn: async () => {
      try {
        return await readLatestRelease(address)
      } catch (error) {
        throw refusedWith(error, (message) => t('settings.update.failed', { message }))
      }
    },
    onSuccess: (release) => {
      if (isSameVersion(release.tag, version)) {
        showSuccess(t('settings.update.latest', { tag: release.tag }))
      } else setNewer(release)
    },
  })
  return (
    <div className={classes['action']}>
      <Button
        variant="default"
        disabled={address === ''}
        loading={check.isPending}
        onClick={() => check.mutate()}
      >
        {t('settings.update.button')}
      </Button>
      <p className={classes['count']}>
        {address === ''
          ? t('settings.update.unset')
          : t('settings.update.running', { version: version || '?' })}
      </p>
      {newer && (
        <LazyPart
          name={t('settings.update.newer', { tag: newer.tag })}
          load={loadDialog}
          props={{ release: newer, onClose: close }}
          onFail={close}
        />
      )}
    </div>
  )
}
