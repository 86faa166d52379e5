import type { RouteEntry, RouteReason } from '@tollgate/contract'
import type { MessageKey } from '../../i18n/types.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatDuration, formatWait, NO_VALUE } from '../../lib/format.ts'
import { shareText } from '../../lib/success.ts'
import classes from './route.module.css'
import './route.messages.ts'

type ListedReason = Exclude<RouteReason, 'model_not_served'>

type Listed = RouteEntry & { reason: ListedReason }

const isListed = (entry: RouteEntry): entry is Listed => entry.reason !== 'model_not_served'

const REASONS: Readonly<Record<Exclude<ListedReason, ''>, MessageKey>> = {
  weight_zero: 'route.weightZero',
  cooling: 'route.cooling',
  probing: 'route.probing',
  left_alone: 'route.leftAlone',
  no_tries_left: 'route.noTriesLeft',
  disabled: 'channel.list.disabled',
  auto_disabled: 'channel.list.autoDisabled',
  type_unserved: 'route.typeUnserved',
  key_unreadable: 'route.keyUnreadable',
  price_unset: 'route.priceUnset',
  at_loss: 'route.atLoss',
  group_not_served: 'route.groupNotServed',
}

type Props = { entries: readonly RouteEntry[]; model: string }

/** Channels in attempt order, followed by the skipped channels with their reasons. */
export function RouteTable({ entries, model }: Props) {
  const { t } = useTranslation()
  const isServed = entries.some(({ order }) => order > 0)
  const listed = entries.filter(isListed)
  const notServing = entries.filter((entry) => !isListed(entry))
  return (
    <>
      {!isServed && <p className={classes['none']}>{t('route.nobody', { model })}</p>}
      {listed.length > 0 && <RouteOrder entries={listed} model={model} />}
      {notServing.length > 0 && (
        <details className={classes['others']} open={listed.length === 0}>
          <summary>{t('route.others', { count: notServing.length })}</summary>
          <ul>
            {notServing.map(({ id, name }) => (
              <li key={id}>{`${id} ${name}`}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function RouteOrder({ entries, model }: { entries: readonly Listed[]; model: string }) {
  const { t } = useTranslation()
  return (
    <table className={classes['route']} aria-label={t('channel.bulk.routeTitle')}>
      <thead>
        <tr>
          <th scope="col">{t('route.order')}</th>
          <th scope="col">{t('route.channel')}</th>
          <th scope="col">{t('route.chance')}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id} data-off={entry.order === 0 || undefined}>
            <td>{entry.order === 0 ? NO_VALUE : entry.order}</td>
            <th scope="row">
              {`${entry.id} ${entry.name}`}
              <RouteDetails entry={entry} model={model} />
            </th>
            <td>{entry.order === 0 ? NO_VALUE : shareText(entry.chance)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function RouteDetails({ entry, model }: { entry: Listed; model: string }) {
  const { t } = useTranslation()
  const { priority, weight, upstream_model, success_share, first_token, reason, order, ready_in } =
    entry
  const { sessions } = entry
  const details = [
    reason !== '' && t(REASONS[reason]),
    ready_in > 0 && t('route.readyIn', { time: formatWait(ready_in) }),
    order > 0 && t('route.place', { priority, weight }),
    order > 0 && upstream_model !== model && t('route.as', { model: upstream_model }),
    success_share !== null && t('route.success', { share: shareText(success_share) }),
    first_token !== null && t('route.firstToken', { time: formatDuration(first_token) }),
    sessions > 0 && t('route.sessions', { count: sessions }),
  ]
  return <span className={classes['facts']}>{details.filter(Boolean).join(' · ')}</span>
}
