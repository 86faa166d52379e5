import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { logEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { formatTime, parseTime } from '../../lib/format.ts'
import { nowSeconds } from '../../lib/server-clock.ts'
import { showSuccess } from '../../lib/toast.ts'
import { DateTimeField } from '../../ui/date-time-field.tsx'
import { refusedWith } from './refused-error.ts'
import classes from './settings.module.css'

const KEPT_SECONDS = 30 * 86_400

/** Deletes log rows older than a time, by default 30 days ago. */
export function LogCleanup() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [target, setTarget] = useState(() => formatTime(nowSeconds() - KEPT_SECONDS))
  const [isWrong, setIsWrong] = useState(false)
  const clean = useMutation({
    mutationFn: async (seconds: number) => {
      try {
        const query = { target_timestamp: seconds }
        return (await call(logEndpoints.deleteLogs, { query })).data
      } catch (error) {
        throw refusedWith(error, (message) => t('settings.cleanup.failed', { message }))
      }
    },
    onSuccess: async (count) => {
      showSuccess(t('settings.cleanup.done', { count }))
      await client.invalidateQueries({ queryKey: ['logs'] })
    },
  })
  const ask = async () => {
    const seconds = parseTime(target)
    setIsWrong(seconds === null)
    if (seconds === null) return
    const time = formatTime(seconds)
    const yes = await confirm({
      title: t('settings.cleanup.title', { time }),
      body: t('settings.cleanup.body'),
      verb: t('settings.cleanup.verb', { time }),
      danger: true,
    })
    if (yes) clean.mutate(seconds)
  }
  return (
    <div className={classes['action']}>
      <div className={classes['inline']}>
        <DateTimeField
          label={t('settings.cleanup.target')}
          value={target}
          onChange={(text) => {
            setTarget(text)
            setIsWrong(false)
          }}
          error={isWrong && t('settings.cleanup.wrong')}
        />
        <Button variant="outline" color="red" loading={clean.isPending} onClick={() => void ask()}>
          {t('settings.cleanup.button')}
        </Button>
      </div>
    </div>
  )
}
