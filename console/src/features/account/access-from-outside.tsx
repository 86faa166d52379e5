import { Button, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { selfEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { copyText } from '../../lib/clipboard.ts'
import { confirm } from '../../lib/confirm.ts'
import { NO_CACHE } from '../../lib/no-cache.ts'
import { useConsoleAddress } from '../../lib/status.ts'
import { Copyable } from '../../ui/copyable.tsx'
import classes from './account.module.css'

export function AccessFromOutside() {
  const { t } = useTranslation()
  return (
    <section>
      <Title order={2} mb="sm">
        {t('account.setting.access')}
      </Title>
      <SystemToken />
      <InviteLink />
    </section>
  )
}

function SystemToken() {
  const { t } = useTranslation()
  const make = useMutation({
    ...NO_CACHE,
    mutationFn: () => call(selfEndpoints.createAccessToken, {}),
    onSuccess: ({ data }) => copyText(data, undefined, t('account.setting.tokenCopied')),
  })
  const ask = async () => {
    const yes = await confirm({
      title: t('account.setting.tokenTitle'),
      body: t('account.setting.tokenBody'),
      verb: t('account.setting.tokenVerb'),
      danger: true,
    })
    if (yes) make.mutate()
  }
  return (
    <div className={classes['access']}>
      <Text c="dimmed">{t('account.setting.tokenHint')}</Text>
      {make.data && <Copyable block label={t('account.setting.token')} text={make.data.data} />}
      <Button variant="default" loading={make.isPending} onClick={() => void ask()}>
        {t('account.setting.tokenCopy')}
      </Button>
    </div>
  )
}

function InviteLink() {
  const { t } = useTranslation()
  const address = useConsoleAddress()
  const read = useMutation({
    mutationFn: async () => {
      const { data } = await call(selfEndpoints.getInviteCode, {})
      return `${address}/register?aff=${encodeURIComponent(data)}`
    },
    onSuccess: (link) => copyText(link, undefined, t('account.setting.inviteCopied')),
  })
  return (
    <div className={classes['access']}>
      <Text c="dimmed">{t('account.setting.inviteHint')}</Text>
      {read.data !== undefined && (
        <Copyable block label={t('account.setting.invite')} text={read.data} />
      )}
      <Button variant="default" loading={read.isPending} onClick={() => read.mutate()}>
        {t('account.setting.inviteCopy')}
      </Button>
    </div>
  )
}
