import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from 'react'
import type { CostDimension, CostRow } from '@tollgate/contract'
import { useTranslation } from '../i18n/use-translation.ts'
import { formatDollars, formatMoney, formatNumber, MONEY_DIGITS, NO_VALUE } from '../lib/format.ts'
import { type CostSpan, type Margin, marginOf, useCosts } from '../lib/margins.ts'
import { useMoney } from '../lib/status.ts'
import { RetryLine } from './retry-line.tsx'

type Costs = {
  /** By `nameOf`; undefined while they load. */
  rows?: ReadonlyMap<string, CostRow> | undefined
  error: Error | null
  retry: () => void
  ask: () => void
}

const CostsContext = createContext<Costs>({ error: null, retry: () => {}, ask: () => {} })

/** Asks for the costs, which a page without margins does not need. */
function useCostsInside(): Costs {
  const costs = use(CostsContext)
  const { ask } = costs
  useEffect(ask, [ask])
  return costs
}

const nameOf = (by: CostDimension, key: string) => `${by} ${key}`

type Props = {
  /** Everything that the page shows, so that one call answers it. */
  by: readonly CostDimension[]
  span: CostSpan
  /** Absent for those with the highest charges. */
  keys?: readonly string[]
  isShown?: boolean
  children: ReactNode
}

/**
 * Loads the costs of everything inside at once, when the first margin is drawn. The lists of a
 * phone show margins only in opened rows.
 */
export function Margins({ by, span, keys, isShown = true, children }: Props) {
  const [isAsked, setIsAsked] = useState(false)
  const ask = useCallback(() => setIsAsked(true), [])
  const asked = { by, span, ...(keys && { keys }) }
  const { data, error, refetch } = useCosts(asked, isAsked && isShown && keys?.length !== 0)
  const costs = useMemo(
    () => ({
      rows: data && new Map(data.map((row) => [nameOf(row.by, row.key), row])),
      error,
      retry: () => void refetch(),
      ask,
    }),
    [data, error, refetch, ask],
  )
  return <CostsContext value={costs}>{children}</CostsContext>
}

export function MarginCell({ by, of: key }: { by: CostDimension; of: string | number }) {
  const { rows, error } = useCostsInside()
  const { quotaPerUnit } = useMoney()
  if (!rows && error) return NO_VALUE
  const row = rows?.get(nameOf(by, String(key)))
  return rows && <MarginText margin={row ? marginOf([row], quotaPerUnit) : null} />
}

/** Says why there are no margins; nothing while they load or once they have. */
export function MarginsFailure() {
  const { rows, error, retry } = use(CostsContext)
  return !rows && error && <RetryLine error={error} onRetry={retry} />
}

/** The margin of all loaded rows of a dimension; undefined while they load, null on failure. */
export function useTotalMargin(by: CostDimension): Margin | null | undefined {
  const { rows, error } = useCostsInside()
  const { quotaPerUnit } = useMoney()
  if (!rows) return error ? null : undefined
  const shown = [...rows.values()].filter((row) => row.by === by)
  return marginOf(shown, quotaPerUnit)
}

const LOSS = { color: 'var(--tollgate-bad)', fontWeight: 600 }

/** For example "$12.40 (31 %)"; the title has what it is made of. */
export function MarginText({ margin }: { margin: Margin | null }) {
  const { t } = useTranslation()
  if (margin === null) return NO_VALUE
  const { amount, share, charge, cost, known } = margin
  const title = t('margin.of', {
    charge: formatMoney(charge, 1, MONEY_DIGITS.receipt),
    cost: formatMoney(cost, 1, MONEY_DIGITS.receipt),
    known: formatNumber(Math.floor(known * 100)),
  })
  const text = formatDollars(amount, 1)
  return (
    <span className="numbers" style={amount < 0 ? LOSS : undefined} title={title}>
      {share === null ? text : t('margin.amount', { amount: text, percent: percent(share) })}
    </span>
  )
}

const percent = (part: number) => formatNumber(Math.round(part * 100))
