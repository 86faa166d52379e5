import { type Channel, CHANNEL_STATUS, type ChannelTraffic, NANO_DOLLARS } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { amountsFormat, formatNumber } from '../../lib/format.ts'
import { useMoney } from '../../lib/status.ts'
import { successText } from '../../lib/success.ts'
import { Brief } from '../../ui/brief.tsx'
import { ColumnAmounts } from '../../ui/column-amounts.tsx'
import { Money } from '../../ui/money.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { StateDot } from '../../ui/state-dot.tsx'
import { ModelTest } from './model-test.tsx'

type Props = { channel: Channel; models: ChannelTraffic['models'] }

const AMOUNTS = [{ id: 'quota', amount: ({ quota }: Props['models'][number]) => quota }]

const FIGURES = ['attempts', 'successShort', 'charged', 'cost'] as const

/** What each model of the channel does, and a test of it. */
export function ChannelModels({ channel, models }: Props) {
  const { t } = useTranslation()
  const money = useMoney()
  const costText = amountsFormat(
    models.map((row) => row.provider_cost),
    { quotaPerUnit: NANO_DOLLARS, inCurrency: true },
  )
  return (
    <PlainTable label={t('channelView.models')}>
      <thead>
        <tr>
          <th scope="col">{t('channelView.model')}</th>
          <th scope="col">{t('channelView.state')}</th>
          {FIGURES.map((name) => (
            <th key={name} scope="col" data-align="right" data-wide>
              {t(`channelView.${name}`)}
            </th>
          ))}
          <th scope="col" data-actions>
            {t('channel.action.test')}
          </th>
        </tr>
      </thead>
      <tbody>
        <ColumnAmounts columns={AMOUNTS} rows={models}>
          {models.map((row) => {
            const attempts = row.answers + row.faults
            const word = stateOf(channel, row)
            const seconds = formatNumber(row.cooldown)
            const figures = {
              attempts: formatNumber(attempts),
              successShort: successText({ requests: attempts, failures: row.faults }),
              charged: <Money quota={row.quota} column="quota" settings={money} />,
              cost: costText(row.provider_cost),
            }
            return (
              <tr key={row.model}>
                <th scope="row">
                  {row.model}
                  {row.upstream_model !== row.model && ` → ${row.upstream_model}`}
                  <Brief items={FIGURES.map((name) => [t(`channelView.${name}`), figures[name]])} />
                </th>
                <td>
                  <StateDot
                    tone={TONES[word]}
                    text={t(`channelView.${word}`, { seconds })}
                    reason={
                      row.last_error && t('channelView.lastErrorOf', { error: row.last_error })
                    }
                    isBelow
                  />
                </td>
                {FIGURES.map((name) => (
                  <td key={name} data-align="right" data-wide>
                    {figures[name]}
                  </td>
                ))}
                <td data-actions>
                  <ModelTest channel={channel} model={row.model} />
                </td>
              </tr>
            )
          })}
        </ColumnAmounts>
      </tbody>
    </PlainTable>
  )
}

const TONES = {
  disabled: 'off',
  cooling: 'slow',
  failing: 'bad',
  unused: 'off',
  ready: 'good',
} as const

function stateOf({ status }: Channel, row: ChannelTraffic['models'][number]): keyof typeof TONES {
  if (status !== CHANNEL_STATUS.enabled) return 'disabled'
  if (row.cooldown > 0) return 'cooling'
  if (row.answers > 0) return 'ready'
  return row.faults > 0 ? 'failing' : 'unused'
}
