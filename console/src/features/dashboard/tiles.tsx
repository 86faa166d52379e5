import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber, formatQuota, NO_VALUE } from '../../lib/format.ts'
import { selfQuery } from '../../lib/self.ts'
import { useMoney } from '../../lib/status.ts'
import { successText } from '../../lib/success.ts'
import { AccountBalance } from '../../ui/account-balance.tsx'
import type { Range } from '../../ui/chart/span.ts'
import { MarginsFailure, MarginText, useTotalMargin } from '../../ui/margin.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import classes from './dashboard.module.css'
import { cacheHitText, differenceOf, todayOf } from './figures.ts'
import type { Loaded, Scope } from './queries.ts'

type Props = { scope: Scope; range: Range; loaded: Loaded | undefined }

/** Headline figures; their space is reserved during loading. */
export function Tiles({ scope, range, loaded }: Props) {
  const { t } = useTranslation()
  return (
    <dl className={classes['tiles']} aria-label={t('dashboard.tile.label')}>
      {scope === 'mine' ? <Balance /> : <Totals range={range} loaded={loaded} />}
      {scope === 'everyone' && <MarginTile range={range} />}
      <CacheTile range={range} loaded={loaded} />
      <Today loaded={loaded} />
    </dl>
  )
}

type TileProps = { label: string; value: ReactNode; hint: ReactNode }

function Tile({ label, value, hint }: TileProps) {
  const isLate = useDelayed(value === undefined)
  return (
    <div className={classes['tile']}>
      <dt>{label}</dt>
      <dd className={classes['value']}>
        {value ?? (isLate && <span className={classes['skeleton']} />)}
      </dd>
      <dd className={classes['hint']}>{hint}</dd>
    </div>
  )
}

function Spend({ quota }: { quota: number }) {
  const money = useMoney()
  return <span title={formatNumber(quota)}>{formatQuota(quota, money)}</span>
}

function Balance() {
  const { t } = useTranslation()
  const money = useMoney()
  const { data, error, refetch } = useQuery(selfQuery)
  if (error && !data) return <NoBalance onRetry={() => void refetch()} />
  const held = data?.quota_leased ?? 0
  return (
    <>
      <Tile
        label={t('dashboard.tile.remaining')}
        value={data && <AccountBalance account={data} />}
        hint={held > 0 ? t('dashboard.tile.held', { quota: formatQuota(held, money) }) : undefined}
      />
      <Tile
        label={t('dashboard.tile.used')}
        value={data && <Spend quota={data.used_quota} />}
        hint={t('dashboard.tile.usedHint')}
      />
    </>
  )
}

/** A toast has already shown the cause. */
function NoBalance({ onRetry }: { onRetry: () => void }) {
  const { t } = useTranslation()
  return (
    <>
      <Tile
        label={t('dashboard.tile.remaining')}
        value={NO_VALUE}
        hint={<span role="alert">{t('dashboard.failed.balance')}</span>}
      />
      <Tile
        label={t('dashboard.tile.used')}
        value={NO_VALUE}
        hint={
          <Button size="compact-xs" variant="default" onClick={onRetry}>
            {t('common.action.retry')}
          </Button>
        }
      />
    </>
  )
}

function Totals({ range, loaded }: { range: Range; loaded: Loaded | undefined }) {
  const { t } = useTranslation()
  const total = loaded?.usage.total
  const within = t(`dashboard.within.${range}`)
  return (
    <>
      <Tile
        label={t('dashboard.tile.spend')}
        value={total && <Spend quota={total.quota} />}
        hint={within}
      />
      <Tile
        label={t('dashboard.tile.requests')}
        value={total && formatNumber(total.requests)}
        hint={
          !total || total.requests === 0
            ? within
            : t('dashboard.tile.success', {
                percent: successText(total),
                failures: formatNumber(total.failures),
              })
        }
      />
    </>
  )
}

function MarginTile({ range }: { range: Range }) {
  const { t } = useTranslation()
  const margin = useTotalMargin('group')
  return (
    <Tile
      label={t('margin.label')}
      value={margin === undefined ? undefined : <MarginText margin={margin} />}
      hint={
        <>
          {t(`dashboard.within.${range}`)} <MarginsFailure />
        </>
      }
    />
  )
}

function CacheTile({ range, loaded }: { range: Range; loaded: Loaded | undefined }) {
  const { t } = useTranslation()
  const money = useMoney()
  const usage = loaded?.usage
  const within = t(`dashboard.within.${range}`)
  return (
    <Tile
      label={t('dashboard.tile.cacheSavings')}
      value={
        usage && (
          <span title={t('dashboard.tile.cacheSavingsMeaning')}>
            {formatQuota(usage.cache.saved_quota, money)}
          </span>
        )
      }
      hint={
        usage === undefined || usage.total.prompt_tokens === 0
          ? within
          : t('dashboard.tile.cacheHits', {
              percent: cacheHitText(usage.cache.cached_tokens, usage.total.prompt_tokens),
            })
      }
    />
  )
}

function Today({ loaded }: { loaded: Loaded | undefined }) {
  const { t } = useTranslation()
  const money = useMoney()
  const days = loaded && {
    today: todayOf(loaded.usage.buckets, loaded.span),
    yesterday: loaded.usage.yesterday_so_far,
  }
  const against = (name: 'quota' | 'requests', format: (value: number) => string) => {
    if (!days) return undefined
    const difference = differenceOf(days.today[name], days.yesterday[name])
    if (difference.kind !== 'more' && difference.kind !== 'less') {
      return t(`dashboard.difference.${difference.kind}`)
    }
    const { kind, by, percent } = difference
    return t(`dashboard.difference.${kind}`, {
      by: format(by),
      percent: formatNumber(Math.round(percent)),
    })
  }
  return (
    <>
      <Tile
        label={t('dashboard.tile.todaySpend')}
        value={days && <Spend quota={days.today.quota} />}
        hint={against('quota', (quota) => formatQuota(quota, money))}
      />
      <Tile
        label={t('dashboard.tile.todayRequests')}
        value={days && formatNumber(days.today.requests)}
        hint={against('requests', formatNumber)}
      />
    </>
  )
}
