import { Button, Stack, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { errorText } from '../../lib/report-error.ts'
import { setFactorRequired } from '../../lib/required-factor.ts'
import { Empty } from '../../ui/empty.tsx'
import '../../ui/identity/factor.messages.ts'
import { Authenticator } from './authenticator.tsx'
import { BlockSkeleton } from './block.tsx'
import { CodesDialog } from './codes-dialog.tsx'
import { Passkeys } from './passkeys.tsx'
import { hasFactor, secondFactorQuery, sessionsQuery } from './queries.ts'
import { RecoveryCodes } from './recovery-codes.tsx'
import { Sessions } from './sessions.tsx'

export function Security() {
  const { t } = useTranslation()
  return (
    <section>
      <Title order={2}>{t('account.security.title')}</Title>
      <Text c="dimmed" mb="sm">
        {t('account.security.hint')}
      </Text>
      <SecondFactors />
      <Sessions />
    </section>
  )
}

function SecondFactors() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery(secondFactorQuery)
  /** New codes, which the server returns only once. Shown until the user has saved them. */
  const [codes, setCodes] = useState<readonly string[]>([])
  const isShowing = codes.length > 0

  useEffect(() => {
    // The new codes exist only on this page, so the page must not be replaced while they are shown.
    if (data && !isShowing) setFactorRequired(data.required && !hasFactor(data))
  }, [data, isShowing])

  if (error && !data) {
    return (
      <Empty
        alert
        title={t('account.security.failed')}
        body={errorText(error)}
        action={
          <Button variant="default" onClick={() => void refetch()}>
            {t('common.action.retry')}
          </Button>
        }
      />
    )
  }
  if (!data) return <BlockSkeleton count={3} />
  const onChange = async (made: readonly string[] = []) => {
    setCodes(made)
    await Promise.all([
      client.invalidateQueries({ queryKey: secondFactorQuery.queryKey }),
      // Most of these changes end all other sessions.
      client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
    ])
  }
  return (
    <Stack gap={0}>
      <Authenticator factor={data} onChange={onChange} />
      <Passkeys factor={data} onChange={onChange} />
      <RecoveryCodes factor={data} onChange={onChange} />
      {isShowing && <CodesDialog codes={codes} onClose={() => setCodes([])} />}
    </Stack>
  )
}
