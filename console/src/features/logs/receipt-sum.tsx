import { Fragment } from 'react'
import type { ChargeBasis, FactorPart, Receipt } from '@tollgate/contract'
import type { Translate } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatMoney, formatNumber, MONEY_DIGITS } from '../../lib/format.ts'
import { useMoney } from '../../lib/status.ts'
import {
  failoverParts,
  productOf,
  sumOf,
  type LineItem,
  lineItemsOf,
  toolParts,
} from './arithmetic.ts'
import classes from './receipt.module.css'

function useLineItemText(basis: ChargeBasis) {
  const { t } = useTranslation()
  const { reasoning_tokens: reasoning, measured } = basis
  const nameOf = (kind: LineItem['kind'], tokens: number) => {
    if (kind === 'completion' && reasoning > 0) {
      return t('log.receipt.reasoning', { tokens: formatNumber(reasoning) })
    }
    if (kind !== 'prompt' || measured === undefined) return t(`log.receipt.${kind}`)
    const { unit, count } = measured
    return t(`log.receipt.${unit}`, { count, tokens: formatNumber(tokens) })
  }
  return ({ kind, tokens, ratio }: LineItem) => {
    return {
      name: nameOf(kind, tokens),
      amount:
        ratio === 1
          ? t('log.receipt.tokens', { tokens: formatNumber(tokens) })
          : t('log.receipt.times', { tokens: formatNumber(tokens), ratio: formatNumber(ratio) }),
    }
  }
}

type Props = { basis: ChargeBasis; receipt: Receipt }

/** The charge as a calculation users can verify. */
export function ReceiptSum({ basis, receipt }: Props) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useMoney()
  const lineItemText = useLineItemText(basis)
  const lineItems = lineItemsOf(basis)
  const { exact, isRounded } = productOf(basis)
  const charged = t('log.receipt.units', {
    units: formatNumber(receipt.quota),
    money: formatMoney(receipt.quota, quotaPerUnit, MONEY_DIGITS.receipt),
  })
  return (
    <div>
      <table className={classes['sum']} aria-label={t('log.receipt.title')}>
        <tbody>
          {lineItems.map((term) => (
            <tr key={term.kind}>
              <th scope="row">{lineItemText(term).name}</th>
              <td>{lineItemText(term).amount}</td>
              <td>{formatNumber(term.weighted)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">{t('log.receipt.sum')}</th>
            <td />
            <td>{formatNumber(sumOf(lineItems))}</td>
          </tr>
          <Line
            name={t('log.receipt.factors', {
              model: formatNumber(basis.model_ratio),
              group: basis.group,
              ratio: formatNumber(basis.group_ratio),
            })}
            value={exact}
          />
          {failoverParts(basis).map((part, index) => (
            <Line
              // oxlint-disable-next-line react/no-array-index-key -- parts may be equal and never move
              key={index}
              name={t('log.receipt.failoverPart', {
                tokens: formatNumber(part.completion_tokens),
                ratio: formatNumber(part.completion_ratio),
                model: formatNumber(part.model_ratio),
                group: formatNumber(basis.group_ratio),
              })}
              value={part.exact}
            />
          ))}
          {toolParts(basis).map(({ tool, calls, units, exact: cost }) => (
            <Line
              key={tool}
              name={t('log.receipt.toolCalls', {
                count: calls,
                tool,
                units: formatNumber(units),
                group: formatNumber(basis.group_ratio),
              })}
              value={cost}
            />
          ))}
          {isRounded && <Line name={t('log.receipt.rounded')} value={basis.cost} />}
          {receipt.uncollected > 0 && (
            <Line name={t('log.receipt.uncollected')} value={-receipt.uncollected} />
          )}
          <tr data-total>
            <th scope="row">{t('log.receipt.charged')}</th>
            <td colSpan={2}>{charged}</td>
          </tr>
        </tbody>
      </table>
      <p className={classes['note']}>
        {t('log.receipt.price', { model: basis.price_model, version: basis.price_version })}
        <br />
        {basis.factors?.map((factor) => (
          <Fragment key={factor.kind}>
            {factorText(t, factor)}
            <br />
          </Fragment>
        ))}
        <Source basis={basis} />
      </p>
    </div>
  )
}

/** The ratios of the receipt include the factor. */
function factorText(t: Translate, { kind, name, input, output }: FactorPart): string {
  const values = { name, input: formatNumber(input), output: formatNumber(output) }
  if (kind === 'region') return t('log.receipt.region', values)
  return t(input === output ? 'log.receipt.tier' : 'log.receipt.tierByKind', values)
}

/** Source of the token counts. An overruled report is shown with its numbers. */
function Source({ basis }: { basis: ChargeBasis }) {
  const { t } = useTranslation()
  const { usage_source: source, overruled, prompt_tokens, completion_tokens } = basis
  if (overruled === undefined) return t(`log.receipt.${source}`)
  return t('log.receipt.overruledBy', {
    reportedPrompt: formatNumber(overruled.prompt_tokens),
    reportedCompletion: formatNumber(overruled.completion_tokens),
    prompt: formatNumber(prompt_tokens),
    completion: formatNumber(completion_tokens),
  })
}

function Line({ name, value }: { name: string; value: number }) {
  return (
    <tr>
      <th scope="row" colSpan={2}>
        {name}
      </th>
      <td>{formatNumber(value)}</td>
    </tr>
  )
}
