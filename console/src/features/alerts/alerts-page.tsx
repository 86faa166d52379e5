import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Alert, alertEndpoints } from '@tollgate/contract'
import type { TextKey } from '../../i18n/types.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { alertsQuery } from '../../lib/alerts.ts'
import { call } from '../../lib/api.ts'
import { errorText } from '../../lib/report-error.ts'
import { Link } from '../../lib/router/router.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Tag } from '../../ui/tag.tsx'
import { Time } from '../../ui/time.tsx'
import classes from './alerts.module.css'

/** The newest alerts. Opening the page marks them as seen; new ones keep their mark meanwhile. */
export function AlertsPage() {
  const { t } = useTranslation()
  const { data, error, refetch } = useQuery(alertsQuery)
  const newIds = useNewIds(data)
  if (error) {
    return (
      <Failed
        title={t('alertTitle.page')}
        message={errorText(error)}
        onRetry={() => void refetch()}
      />
    )
  }
  if (!data) return <Loading page={t('alertTitle.page')} />
  const rules = (
    <Button component={Link} to="/setting/operation#alerts" variant="default">
      {t('alert.rules')}
    </Button>
  )
  return (
    <Page title={t('alertTitle.page')} width="text" actions={rules}>
      {data.alerts.length === 0 ? (
        <Empty title={t('alert.none')} body={t('alert.noneBody')} />
      ) : (
        <ul className={classes['list']}>
          {data.alerts.map((alert) => (
            <AlertRow key={alert.id} alert={alert} isNew={newIds.has(alert.id)} />
          ))}
        </ul>
      )}
    </Page>
  )
}

/** By the page that the server names; a later server may name others. */
const PAGES: Readonly<Record<string, TextKey>> = {
  channel: 'channelTitle.list',
  dashboard: 'dashboardTitle.nav',
  bill: 'billTitle.nav',
  'setting/prices': 'pricingTitle.prices',
}

const titleOf = (page: string): TextKey =>
  page.startsWith('channel/') ? 'channelTitle.view' : (PAGES[page] ?? 'alert.open')

function AlertRow({ alert, isNew }: { alert: Alert; isNew: boolean }) {
  const { t } = useTranslation()
  const { created_time, subject, text, page } = alert
  return (
    <li className={classes['alert']}>
      <div className={classes['head']}>
        <strong>{subject}</strong>
        {isNew && <Tag color="blue">{t('alert.new')}</Tag>}
        <Time seconds={created_time} />
      </div>
      {text !== '' && <p className={classes['text']}>{text}</p>}
      <Link to={`/${page}`}>{t(titleOf(page))}</Link>
    </li>
  )
}

type AlertList = { alerts: readonly Alert[]; unseen: number }

/** Marks what was loaded as seen, and remembers what was new. */
function useNewIds(list: AlertList | undefined): ReadonlySet<number> {
  const [newIds, setNewIds] = useState<ReadonlySet<number>>(new Set())
  const client = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: (lastId: number) =>
      call(alertEndpoints.markAlertsSeen, { body: { seen_up_to: lastId } }),
    onSuccess: () =>
      client.setQueryData(alertsQuery.queryKey, (old) => old && { ...old, unseen: 0 }),
  })
  useEffect(() => {
    const newest = list?.alerts[0]
    if (list === undefined || newest === undefined || list.unseen === 0) return
    const ids = list.alerts.slice(0, list.unseen).map(({ id }) => id)
    setNewIds((known) => new Set([...known, ...ids]))
    mutate(newest.id)
  }, [list, mutate])
  return newIds
}
