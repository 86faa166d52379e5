import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type AdminLog, resultOf, type UserCredit } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { NO_VALUE } from '../../lib/format.ts'
import { Link } from '../../lib/router/router.tsx'
import { useMoney } from '../../lib/status.ts'
import '../../ui/credit-kind.messages.ts'
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

/** The pages of these lists can do more than show further rows. */
const ALWAYS_LINKED: readonly string[] = ['requests', 'tokens']

type Props<Row> = {
  part: 'tokens' | 'requests' | 'ledger' | 'invited'
  query: UseQueryResult<Row[]>
  empty: string
  heads: readonly Heads[]
  rowOf: (row: Row) => ReactNode
  /** The list of all rows. */
  all?: { to: string; label: string }
}

function Part<Row extends { id: number }>({ part, query, empty, heads, rowOf, all }: Props<Row>) {
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
                    >
                      {t(`userView.${head}`)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.id}>{rowOf(row)}</tr>
                ))}
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

function Amount({ quota }: { quota: number }) {
  return <Money quota={quota} settings={useMoney()} />
}

export function UserTokens({ id }: { id: number }) {
  const { t } = useTranslation()
  return (
    <Part
      part="tokens"
      query={useTokensOf(id)}
      empty={t('userView.noTokens')}
      heads={['name', 'key', 'lastUsed', 'used', 'left']}
      all={{ to: `/user/token?user=${id}`, label: t('userView.allTokens') }}
      rowOf={(token) => (
        <>
          <th scope="row">{token.name || NO_VALUE}</th>
          <td>
            <code>{token.key_hint}</code>
          </td>
          <td>
            {token.accessed_time === 0 ? (
              t('userView.never')
            ) : (
              <Time seconds={token.accessed_time} />
            )}
          </td>
          <td data-align="right">
            <Amount quota={token.used_quota} />
          </td>
          <td data-align="right">
            {token.unlimited_quota ? (
              t('common.state.unlimited')
            ) : (
              <Amount quota={token.remain_quota} />
            )}
          </td>
        </>
      )}
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
      all={{ to: `/log?user_id=${id}`, label: t('userView.allRequests') }}
      rowOf={(log) => <Request log={log} />}
    />
  )
}

function Request({ log }: { log: AdminLog }) {
  const result = resultOf(log)
  return (
    <>
      <th scope="row">
        <Time seconds={log.created_at} />
      </th>
      <td>{log.model_name || NO_VALUE}</td>
      <td>{log.token_name || NO_VALUE}</td>
      <td>{result === null ? NO_VALUE : <Outcome log={log} result={result} />}</td>
      <td data-align="right">{log.quota === 0 ? NO_VALUE : <Amount quota={log.quota} />}</td>
    </>
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
      rowOf={(credit) => <Credit credit={credit} />}
    />
  )
}

function Credit({ credit }: { credit: UserCredit }) {
  const { t } = useTranslation()
  const { kind, note, actor_id, actor_name } = credit
  return (
    <>
      <th scope="row">
        <Time seconds={credit.created_at} />
      </th>
      <td data-align="right">
        <Amount quota={credit.amount} />
      </td>
      <td>{[t(`creditKind.${kind}`), note].filter((text) => text !== '').join(': ')}</td>
      <td>{actor_id === 0 ? t('userView.system') : actor_name || `#${actor_id}`}</td>
    </>
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
      all={{ to: `/user?inviter_id=${id}`, label: t('userView.allInvited') }}
      rowOf={(user) => (
        <>
          <th scope="row">
            <Link to={`/user/${user.id}`}>{user.username}</Link>
          </th>
          <td>
            <Time seconds={user.created_time} />
          </td>
          <td data-align="right">
            <Amount quota={user.used_quota} />
          </td>
        </>
      )}
    />
  )
}
