import { Checkbox } from '@mantine/core'
import type { Dollars, PriceChange } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatPrice } from '../../lib/format-price.ts'
import { formatDecimal, NO_VALUE } from '../../lib/format.ts'
import { PlainTable } from '../../ui/plain-table.tsx'
import { StateDot, type Tone } from '../../ui/state-dot.tsx'
import classes from './pricing.module.css'

const TONES: Readonly<Record<PriceChange['kind'], Tone>> = {
  new: 'good',
  cheaper: 'good',
  dearer: 'bad',
  mixed: 'slow',
  removed: 'off',
}

type Props = {
  changes: readonly PriceChange[]
  chosen: ReadonlySet<string>
  onChoose: (models: ReadonlySet<string>) => void
}

export function ChangesTable({ changes, chosen, onChoose }: Props) {
  const { t } = useTranslation()
  const isAll = changes.every(({ model }) => chosen.has(model))
  const toggle = (model: string) => {
    const next = new Set(chosen)
    if (!next.delete(model)) next.add(model)
    onChoose(next)
  }
  return (
    <PlainTable label={t('pricing.change.table')}>
      <thead>
        <tr>
          <th scope="col">
            <Checkbox
              aria-label={t('pricing.change.chooseAll')}
              checked={isAll}
              indeterminate={!isAll && chosen.size > 0}
              onChange={() => onChoose(new Set(isAll ? [] : changes.map(({ model }) => model)))}
            />
          </th>
          <th scope="col">{t('pricing.change.model')}</th>
          <th scope="col">{t('pricing.change.kindHead')}</th>
          {(['before', 'after', 'percent', 'effect'] as const).map((name) => (
            <th key={name} scope="col" data-align="right">
              {t(`pricing.change.${name}`)}
            </th>
          ))}
          <th scope="col">{t('pricing.change.vendor')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <ChangeRow
            key={change.model}
            change={change}
            isChosen={chosen.has(change.model)}
            onToggle={toggle}
          />
        ))}
      </tbody>
    </PlainTable>
  )
}

type RowProps = { change: PriceChange; isChosen: boolean; onToggle: (model: string) => void }

function ChangeRow({ change, isChosen, onToggle }: RowProps) {
  const { t } = useTranslation()
  const { model, vendor, kind, before, after, percent, effect, own } = change
  return (
    <tr>
      <td>
        <Checkbox
          aria-label={t('pricing.change.choose', { model })}
          checked={isChosen}
          onChange={() => onToggle(model)}
        />
      </td>
      <th scope="row">
        {model}
        {own && <span className={classes['own']}>{t('pricing.change.own')}</span>}
      </th>
      <td>
        <StateDot tone={TONES[kind]} text={t(`pricing.changeKind.${kind}`)} />
      </td>
      <td data-align="right">
        <Prices dollars={before} />
      </td>
      <td data-align="right">
        <Prices dollars={after} />
      </td>
      <td data-align="right">{percent === 0 ? NO_VALUE : `${percent} %`}</td>
      <td data-align="right">{effect === 0 ? NO_VALUE : signed(effect)}</td>
      <td>{vendor}</td>
    </tr>
  )
}

const EFFECT_DIGITS = 2

function Prices({ dollars }: { dollars: Dollars | null }) {
  const { t } = useTranslation()
  if (dollars === null) return NO_VALUE
  const { input, output, cached } = dollars
  const texts = {
    input: formatPrice(input),
    output: formatPrice(output),
    cached: formatPrice(cached),
  }
  return <>{t('pricing.change.prices', texts)}</>
}

const signed = (dollars: number) => {
  const sign = dollars < 0 ? '−' : '+'
  return `${sign}$${formatDecimal(Math.abs(dollars), EFFECT_DIGITS)}`
}
