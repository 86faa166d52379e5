import { Alert, Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Channel, channelEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../../i18n/use-translation.ts'
import { call } from '../../../lib/api.ts'
import { Link } from '../../../lib/router/router.tsx'
import { errorText } from './errors.ts'
import classes from './start.module.css'

type Props = {
  channel: Channel
  /** Tests at once, because the channel has just been connected. */
  isNew: boolean
  onPassed: (seconds: number, model: string) => void
}

export function CheckStep({ channel, isNew, onPassed }: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(channelEndpoints.testChannel, { params: { id: channel.id }, query: {} }),
    meta: { quiet: true },
    onSuccess: ({ data, extra }) => onPassed(data, extra.model),
    onSettled: () => client.invalidateQueries({ queryKey: ['channels'] }),
  })
  useEffect(() => {
    if (isNew) mutate()
  }, [isNew, mutate])
  const problem = error === null ? channel.test_error : errorText(error)
  return (
    <div className={classes['fields']}>
      {problem !== '' && !isPending && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      <div className={classes['buttons']}>
        <Button loading={isPending} onClick={() => mutate()}>
          {t('start.check.run')}
        </Button>
        <Button component={Link} variant="default" to={`/channel/edit/${channel.id}`}>
          {t('start.check.edit')}
        </Button>
      </div>
    </div>
  )
}
