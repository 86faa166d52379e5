import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { resultOf } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { NO_VALUE } from '../../lib/format.ts'
import { Link } from '../../lib/router/router.tsx'
import { useMoney } from '../../lib/status.ts'
import { Brief } from '../../ui/brief.tsx'
import '../../ui/credit-kind.messages.ts'
import { ColumnAmounts } from '../../ui/column-amounts.tsx'
import { LoadedSection } from '../../ui/loaded-section.tsx'
import { Money } from '../../ui/money.tsx'
import { Outcome } from '../../ui/outcome.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { Time } from '../../ui/time.tsx'
import classes from './users.module.css'
import {
  ROWS_SHOWN,
  useCreditsOf,
  useInvitedBy,
  useRequestsOf,
  useTokensOf,
} from './view-queries.ts'

type Heads =
  | 'time'
  | 'name'
  | 'key'
  | 'lastUsed'
  | 'left'
  | 'model'
  | 'token'
  | 'result'
  | 'used'
  | 'charge'
  | 'amount'
  | 'reason'
  | 'actor'

const AMOUNTS: readonly Heads[] = ['left', 'used', 'charge', 'amount']

/** Columns that phones have no room for. */
const WIDE: readonly Heads[] = ['key', 'lastUsed', 'model', 'token', 'reason', 'actor']

/** The pages of these lists can do more than show further rows. */
const ALWAYS_LINKED: readonly string[] = ['requests', 'tokens']

type Props<Row> = {
  part: 'tokens' | 'requests' | 'ledger' | 'invited'
  query: UseQueryResult<Row[]>
  empty: string
  /** The first names the row. */
  heads: readonly Heads[]
  cellsOf: (row: Row) => { readonly [Head in Heads]?: ReactNode }
  amounts: readonly { id: Heads; amount: (row: Row) => number }[]
  /** The list of all rows. */
  all?: { to: string; label: string }
}

function Part<Row extends { id: number }>(props: Props<Row>) {
  const { part, query, empty, heads, cellsOf, amounts, all } = props
  const { t } = useTranslation()
  const title = t(`userView.${part}`)
  return (
    <LoadedSection id={part} title={title} query={query}>
      {(rows) =>
        rows.length === 0 ? (
          <p>{empty}</p>
        ) : (
          <>
            <PlainTable label={title}>
              <thead>
                <tr>
                  {heads.map((head) => (
                    <th
                      key={head}
                      scope="col"
                      data-align={AMOUNTS.includes(head) ? 'right' : undefined}
                      data-wide={WIDE.includes(head) || undefined}
                    >
                      {t(`userView.${head}`)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                <ColumnAmounts columns={amounts} rows={rows}>
                  {rows.map((row) => (
                    <Cells key={row.id} heads={heads} cells={cellsOf(row)} />
                  ))}
                </ColumnAmounts>
              </tbody>
            </PlainTable>
            {all && (rows.length === ROWS_SHOWN || ALWAYS_LINKED.includes(part)) && (
              <p className={classes['more']}>
                <Link to={all.to}>{all.label}</Link>
              </p>
            )}
          </>
        )
      }
    </LoadedSection>
  )
}

type CellsProps = { heads: readonly Heads[]; cells: ReturnType<Props<unknown>['cellsOf']> }

function Cells({ heads, cells }: CellsProps) {
  const { t } = useTranslation()
  const brief = heads.filter((head) => WIDE.includes(head))
  return (
    <tr>
      {heads.map((head, index) =>
        index === 0 ? (
          <th key={head} scope="row">
            {cells[head]}
            {brief.length > 0 && (
              <Brief items={brief.map((name) => [t(`userView.${name}`), cells[name]])} />
            )}
          </th>
        ) : (
          <td
            key={head}
            data-align={AMOUNTS.includes(head) ? 'right' : undefined}
            data-wide={WIDE.includes(head) || undefined}
          >
            {cells[head]}
          </td>
        ),
      )}
    </tr>
  )
}

function Amount({ quota, column }: { quota: number; column: Heads }) {
  return <Money quota={quota} column={column} settings={useMoney()} />
}

export function UserTokens({ id }: { id: number }) {
  const { t } = useTranslation()
  return (
    <Part
      part="tokens"
      query={useTokensOf(id)}
      empty={t('userView.noTokens')}
      heads={['name', 'key', 'lastUsed', 'used', 'left']}
      amounts={[
        { id: 'used', amount: ({ used_quota }) => used_quota },
        {
          id: 'left',
          amount: ({ unlimited_quota, remain_quota }) => (unlimited_quota ? 0 : remain_quota),
        },
      ]}
      all={{ to: `/user/token?user=${id}`, label: t('userView.allTokens') }}
      cellsOf={(token) => ({
        name: token.name || NO_VALUE,
        key: <code>{token.key_hint}</code>,
        lastUsed:
          token.accessed_time === 0 ? t('userView.never') : <Time seconds={token.accessed_time} />,
        used: <Amount quota={token.used_quota} column="used" />,
        left: token.unlimited_quota ? (
          t('common.state.unlimited')
        ) : (
          <Amount quota={token.remain_quota} column="left" />
        ),
      })}
    />
  )
}

export function UserRequests({ id }: { id: number }) {
  const { t } = useTranslation()
  return (
    <Part
      part="requests"
      query={useRequestsOf(id)}
      empty={t('userView.noRequests')}
      heads={['time', 'model', 'token', 'result', 'charge']}
      amounts={[{ id: 'charge', amount: ({ quota }) => quota }]}
      all={{ to: `/log?user_id=${id}`, label: t('userView.allRequests') }}
      cellsOf={(log) => {
        const result = resultOf(log)
        return {
          time: <Time seconds={log.created_at} />,
          model: log.model_name || NO_VALUE,
          token: log.token_name || NO_VALUE,
          result: result === null ? NO_VALUE : <Outcome log={log} result={result} />,
          charge: log.quota === 0 ? NO_VALUE : <Amount quota={log.quota} column="charge" />,
        }
      }}
    />
  )
}

export function UserLedger({ id }: { id: number }) {
  const { t } = useTranslation()
  return (
    <Part
      part="ledger"
      query={useCreditsOf(id)}
      empty={t('userView.noLedger')}
      heads={['time', 'amount', 'reason', 'actor']}
      amounts={[{ id: 'amount', amount: ({ amount }) => amount }]}
      cellsOf={({ created_at, amount, kind, note, actor_id, actor_name }) => ({
        time: <Time seconds={created_at} />,
        amount: <Amount quota={amount} column="amount" />,
        reason: [t(`creditKind.${kind}`), note].filter((text) => text !== '').join(': '),
        actor: actor_id === 0 ? t('userView.system') : actor_name || `#${actor_id}`,
      })}
    />
  )
}

export function UserInvited({ id }: { id: number }) {
  const { t } = useTranslation()
  return (
    <Part
      part="invited"
      query={useInvitedBy(id)}
      empty={t('userView.noInvited')}
      heads={['name', 'time', 'used']}
      amounts={[{ id: 'used', amount: ({ used_quota }) => used_quota }]}
      all={{ to: `/user?inviter_id=${id}`, label: t('userView.allInvited') }}
      cellsOf={(user) => ({
        name: <Link to={`/user/${user.id}`}>{user.username}</Link>,
        time: <Time seconds={user.created_time} />,
        used: <Amount quota={user.used_quota} column="used" />,
      })}
    />
  )
}
