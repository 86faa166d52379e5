import { Stack, Title } from '@mantine/core'
import type { Statement } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber } from '../../lib/format.ts'
import { validUntil } from '../../lib/quota-validity.ts'
import { nowSeconds } from '../../lib/server-clock.ts'
import { useSession } from '../../lib/session.ts'
import { useMoney, useSystemName } from '../../lib/status.ts'
import { isUnlimited } from '../../lib/unlimited.ts'
import { Brief } from '../../ui/brief.tsx'
import '../../ui/credit-kind.messages.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { Printed } from '../../ui/printed.tsx'
import classes from './billing.module.css'
import { monthAt, monthName, timeIn } from './months.ts'
import { decimalsOf, exactAmount, sumBy, totalOf, unlistedCredits, type UsageSum } from './sums.ts'

export function StatementSheet({ statement }: { statement: Statement }) {
  const { t, language } = useTranslation()
  const system = useSystemName()
  const user = useSession()
  const { month, time_zone: zone, usage } = statement
  const isOver = month !== monthAt(nowSeconds(), zone)
  const { opening, credited, charged, closing } = statement
  const decimals = decimalsOf([opening, credited, charged, closing], useMoney())
  const models = sumBy(usage, ({ model_name }) => model_name).toSorted((a, b) => b.quota - a.quota)
  return (
    <Stack gap="lg">
      {user && (
        <Printed>
          {t('billing.statement.printed', {
            system,
            username: user.username,
            id: user.id,
            month: monthName(month, language),
            zone,
          })}
        </Printed>
      )}
      <DescriptionList
        items={[
          {
            name: t('billing.statement.opening'),
            value: <Amount quota={opening} decimals={decimals} />,
          },
          {
            name: t('billing.statement.credited'),
            value: <Amount quota={credited} decimals={decimals} />,
          },
          {
            name: t('billing.statement.charged'),
            value: <Exact quota={0 - charged} decimals={decimals} />,
          },
          {
            name: t(isOver ? 'billing.statement.closing' : 'billing.statement.soFar'),
            value: (
              <strong>
                <Amount quota={closing} decimals={decimals} />
              </strong>
            ),
          },
        ]}
      />
      <Credits statement={statement} />
      <UsageSums kind="model" rows={models} />
      <UsageSums kind="day" rows={sumBy(usage, ({ day }) => day)} />
      <p className={classes['zone']}>{t('billing.statement.zone', { zone })}</p>
    </Stack>
  )
}

function useIsUnlimited() {
  const user = useSession()
  return (quota: number) => user !== null && isUnlimited({ ...user, quota })
}

/** Exact, apart from the quota that stands for none. */
function Amount({ quota, decimals }: { quota: number; decimals: number }) {
  const { t } = useTranslation()
  return useIsUnlimited()(quota) ? (
    <span title={formatNumber(quota)}>{t('common.state.unlimited')}</span>
  ) : (
    <Exact quota={quota} decimals={decimals} />
  )
}

function Exact({ quota, decimals }: { quota: number; decimals?: number }) {
  const money = useMoney()
  return (
    <span className="numbers" title={formatNumber(quota)}>
      {exactAmount(quota, money, decimals)}
    </span>
  )
}

function Credits({ statement }: { statement: Statement }) {
  const { t } = useTranslation()
  const title = t('billing.credit.title')
  const { credits } = statement
  const isEndless = useIsUnlimited()
  const unlisted = unlistedCredits(statement)
  const amounts = [...credits.map(({ amount }) => amount), unlisted.amount]
  const decimals = decimalsOf(amounts, useMoney())
  return (
    <section>
      <Title order={3} mb="xs">
        {title}
      </Title>
      {credits.length === 0 ? (
        <p className={classes['zone']}>{t('billing.credit.none')}</p>
      ) : (
        <PlainTable label={title}>
          <thead>
            <tr>
              <th scope="col">{t('billing.credit.time')}</th>
              <th scope="col">{t('billing.credit.source')}</th>
              <th scope="col" data-align="right">
                {t('billing.credit.amount')}
              </th>
            </tr>
          </thead>
          <tbody>
            {credits.map(({ created_at, kind, amount, note }, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- entries never change
              <tr key={index}>
                <td>
                  <time dateTime={new Date(created_at * 1000).toISOString()}>
                    {timeIn(statement.time_zone, created_at)}
                  </time>
                  {amount > 0 && !isEndless(amount) && (
                    <span className={classes['note']}>
                      {t('billing.credit.validUntil', {
                        day: validUntil(statement.time_zone, created_at),
                      })}
                    </span>
                  )}
                </td>
                <td className={classes['source']}>
                  {t(`creditKind.${kind}`)}
                  {note !== '' && <span className={classes['note']}>{note}</span>}
                </td>
                <td data-align="right">
                  <Amount quota={amount} decimals={decimals} />
                </td>
              </tr>
            ))}
            {unlisted.count > 0 && (
              <tr>
                <td />
                <td>{t('billing.credit.more', { count: unlisted.count })}</td>
                <td data-align="right">
                  <Exact quota={unlisted.amount} decimals={decimals} />
                </td>
              </tr>
            )}
          </tbody>
        </PlainTable>
      )}
    </section>
  )
}

const TITLES = { model: 'billing.usage.byModel', day: 'billing.usage.byDay' } as const

function UsageSums({ kind, rows }: { kind: 'model' | 'day'; rows: readonly UsageSum[] }) {
  const { t } = useTranslation()
  const title = t(TITLES[kind])
  const amounts = rows.map(({ quota }) => quota)
  const decimals = decimalsOf(amounts, useMoney())
  const row = ({ name, quota, requests, prompt_tokens, completion_tokens }: UsageSum) => {
    const counts = [
      [t('billing.usage.requests'), formatNumber(requests)],
      [t('billing.usage.prompt'), formatNumber(prompt_tokens)],
      [t('billing.usage.completion'), formatNumber(completion_tokens)],
    ] as const
    return (
      <tr key={name}>
        <th scope="row">
          {name}
          <Brief items={counts} />
        </th>
        <td data-align="right">
          <Exact quota={quota} decimals={decimals} />
        </td>
        {counts.map(([label, count]) => (
          <td key={label} data-align="right" data-wide>
            {count}
          </td>
        ))}
      </tr>
    )
  }
  return (
    <section>
      <Title order={3} mb="xs">
        {title}
      </Title>
      {rows.length === 0 ? (
        <p className={classes['zone']}>{t('billing.usage.none')}</p>
      ) : (
        <PlainTable label={title}>
          <thead>
            <tr>
              <th scope="col">{t(`billing.usage.${kind}`)}</th>
              <th scope="col" data-align="right">
                {t('billing.usage.amount')}
              </th>
              {(['requests', 'prompt', 'completion'] as const).map((name) => (
                <th key={name} scope="col" data-align="right" data-wide>
                  {t(`billing.usage.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{rows.map(row)}</tbody>
          <tfoot>{row({ name: t('billing.usage.total'), ...totalOf(rows) })}</tfoot>
        </PlainTable>
      )}
    </section>
  )
}
