import { Button, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Availability, availabilityEndpoints } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { toSafeFragment } from '../../lib/html.ts'
import { errorText } from '../../lib/report-error.ts'
import { Link } from '../../lib/router/router.tsx'
import { useStatus } from '../../lib/status.ts'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import { Time } from '../../ui/time.tsx'
import classes from './availability.module.css'
import { ModelRow } from './model-row.tsx'
import { STATE_TONES } from './shares.ts'

export function StatusPage() {
  const { t } = useTranslation()
  const title = t('availabilityTitle.page')
  const { data, error, refetch } = useQuery({
    queryKey: ['availability'],
    queryFn: async ({ signal }) =>
      (await call(availabilityEndpoints.getAvailability, {}, signal)).data,
  })
  return (
    <Page title={title} width="text">
      <Stack gap="xl">
        <Notice />
        {data === undefined && error === null && <Loading page={title} />}
        {data === undefined && error !== null && (
          <Empty
            alert
            title={t('availability.failed')}
            body={errorText(error)}
            action={
              <Button variant="default" onClick={() => void refetch()}>
                {t('common.action.retry')}
              </Button>
            }
          />
        )}
        {data === null && (
          <Empty
            title={t('availability.off.title')}
            body={t('availability.off.body')}
            action={
              <Button component={Link} to="/setting/operation">
                {t('availability.off.open')}
              </Button>
            }
          />
        )}
        {data && <Models availability={data} />}
      </Stack>
    </Page>
  )
}

/** Models without requests say nothing about the others. */
const WORST_FIRST = ['down', 'degraded', 'healthy'] as const

function Models({ availability }: { availability: Availability }) {
  const { t } = useTranslation()
  const { models, start, read_at: readAt } = availability
  if (models.length === 0) {
    return <Empty title={t('availability.empty.title')} body={t('availability.empty.body')} />
  }
  const count = models.filter(({ state }) => state === 'degraded' || state === 'down').length
  const states = new Set(models.map(({ state }) => state))
  const worst = WORST_FIRST.find((state) => states.has(state)) ?? 'untested'
  const vendors = Map.groupBy(models, ({ vendor }) => vendor)
  return (
    <Stack gap="xl">
      <div className={classes['now']}>
        <strong>
          <StateDot
            tone={STATE_TONES[worst]}
            text={
              worst === 'healthy' || worst === 'untested'
                ? t(`availability.now.${worst}`)
                : t('availability.now.trouble', { count })
            }
          />
        </strong>
        <span className={classes['read']}>
          {t('availability.now.read')} <Time seconds={readAt} />
        </span>
      </div>
      {[...vendors].toSorted(byName).map(([vendor, rows]) => (
        <section key={vendor}>
          <Title order={2}>{vendor === '' ? t('availability.model.other') : vendor}</Title>
          <ul className={classes['models']}>
            {rows.map((model) => (
              <ModelRow key={model.id} model={model} start={start} />
            ))}
          </ul>
        </section>
      ))}
    </Stack>
  )
}

/** Models of unknown makers come last. */
const byName = ([a]: [string, unknown], [b]: [string, unknown]) =>
  Number(a === '') - Number(b === '') || a.localeCompare(b)

/** Operators announce incidents by the notice, so it stays when the status cannot be loaded. */
function Notice() {
  const { t } = useTranslation()
  const notice = useStatus()?.notice.trim() ?? ''
  if (notice === '') return null
  return (
    <section>
      <Title order={2} mb="xs">
        {t('availability.now.notice')}
      </Title>
      <RichText source={notice} toFragment={toSafeFragment} />
    </section>
  )
}
