import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { exactRatio } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { NO_VALUE, plainNumber } from '../../lib/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { labelOf } from './field-props.ts'
import { formatPrice, parseRatio, pricesOf, type RatioRow, type RatioTable } from './ratio-rows.ts'
import classes from './settings.module.css'

type Props = {
  row: RatioRow
  rowIndex: number
  /** The columns. */
  shown: readonly RatioTable[]
  quotaPerUnit: number
  onRatio: (table: RatioTable, ratio: number | undefined) => void
  onBlur: (table: RatioTable) => void
  onRemove: () => void
}

export function RatioTableRow(props: Props) {
  const { row, rowIndex, shown, quotaPerUnit, onRatio, onBlur, onRemove } = props
  const { t } = useTranslation()
  const { model } = row
  const prices = pricesOf(row, quotaPerUnit)
  return (
    <tr aria-rowindex={rowIndex}>
      <th scope="row" className={classes['model']}>
        <ModelName model={model} />
      </th>
      {shown.map((table) => (
        <td key={table}>
          <RatioInput
            label={t('settings.ratio.cell', { ratio: labelOf(table), model })}
            value={row.ratios[table]}
            onRatio={(ratio) => onRatio(table, ratio)}
            onBlur={() => onBlur(table)}
          />
          <span className={classes['price']}>
            {prices[table] === undefined ? NO_VALUE : formatPrice(prices[table])}
          </span>
        </td>
      ))}
      <td className={classes['tools']}>
        <IconButton aria-label={t('settings.table.remove', { name: model })} onClick={onRemove}>
          <Trash2 size={14} aria-hidden />
        </IconButton>
      </td>
    </tr>
  )
}

/** What a row has room for: three lines of 30, at 390 pixels four of 17. */
const WHOLE_CHARACTERS_MAX = 66

/** A longer name is whole in its hint, since all rows have the same height. */
function ModelName({ model }: { model: string }) {
  if (model.length <= WHOLE_CHARACTERS_MAX) return <span>{model}</span>
  return (
    <button type="button" data-hint={model} data-press>
      {model}
    </button>
  )
}

type InputProps = {
  label: string
  value: number | undefined
  onRatio: (ratio: number | undefined) => void
  onBlur: () => void
}

const textOf = (value: number | undefined) => (value === undefined ? '' : plainNumber(value))

/** Keeps unfinished input such as "1."; the ratio updates once the text is valid. */
function RatioInput({ label, value, onRatio, onBlur }: InputProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? textOf(value)
  const parsed = parseRatio(text)
  const isWrong = parsed === null || !exactRatio.optional().safeParse(parsed).success
  const change = (next: string) => {
    setTyped(next)
    const ratio = parseRatio(next)
    if (ratio !== null) onRatio(ratio)
  }
  return (
    <input
      className={classes['ratioInput']}
      aria-label={label}
      aria-invalid={isWrong || undefined}
      inputMode="decimal"
      autoComplete="off"
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      onBlur={() => {
        setTyped(null)
        onBlur()
      }}
    />
  )
}
