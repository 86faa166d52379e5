import { Button, NativeSelect, TextInput } from '@mantine/core'
import { Plus, Search } from 'lucide-react'
import { type SyntheticEvent, useMemo, useRef, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber } from '../../lib/format.ts'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import { labelOf } from './field-props.ts'
import { useOptionContext } from './option-context.ts'
import { RatioTableRow } from './ratio-row.tsx'
import { RATIO_TABLES, type Ratios, ratioRows, type RatioTable } from './ratio-rows.ts'
import classes from './settings.module.css'
import { useVisibleRows } from './visible-rows.ts'

/** In pixels. Prices stand below their ratios. On phones names take four lines. */
const ROW_HEIGHTS = { window: 56, phone: 72 } as const
const MODEL_CHARACTERS_MAX = 200

/** Label of the price next to each ratio. */
const PRICE_OF = {
  ModelRatio: 'settings.ratio.input',
  CompletionRatio: 'settings.ratio.output',
  CacheRatio: 'settings.ratio.cached',
  CacheWriteRatio: 'settings.ratio.cacheWrite',
  AudioRatio: 'settings.ratio.input',
  AudioCompletionRatio: 'settings.ratio.output',
  ImageRatio: 'settings.ratio.input',
} as const

type Props = {
  tables: Readonly<Record<RatioTable, Ratios>>
  onChange: (tables: readonly RatioTable[], model: string, ratio: number | undefined) => void
  onBlur: (table: RatioTable) => void
}

/** One row per model. Only the rows in view are rendered. */
export function RatioTableView({ tables, onChange, onBlur }: Props) {
  const { t } = useTranslation()
  const { stored } = useOptionContext()
  const [keyword, setKeyword] = useState('')
  const frame = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => ratioRows(tables), [tables])
  const search = keyword.trim()
  const shown = rows.filter(({ model }) => model.toLowerCase().includes(search.toLowerCase()))
  const isKnown = rows.some(({ model }) => model === search)
  const isPhone = useIsPhone()
  const [chosen, setChosen] = useState<RatioTable>('ModelRatio')
  const ratios = isPhone ? [chosen] : RATIO_TABLES
  const rowHeight = ROW_HEIGHTS[isPhone ? 'phone' : 'window']
  const { first, last } = useVisibleRows(frame, shown.length, rowHeight)
  const add = () => {
    onChange(['ModelRatio'], search, 1)
    requestAnimationFrame(() => frame.current?.querySelector('input')?.focus())
  }
  return (
    <>
      <SearchOrAdd keyword={keyword} isKnown={isKnown} onKeyword={setKeyword} onAdd={add} />
      {isPhone && <ChosenRatio chosen={chosen} onChoose={setChosen} />}
      <p className={classes['count']} role="status">
        {t('settings.ratio.shown', { models: formatNumber(shown.length) })}
      </p>
      <div
        ref={frame}
        className={classes['ratioFrame']}
        role="region"
        aria-label={t('common.table.scroll')}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable
        tabIndex={0}
      >
        <table
          className={classes['ratios']}
          aria-label={t('settings.ratio.title')}
          aria-rowcount={shown.length + 1}
        >
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">{t('settings.ratio.model')}</th>
              {ratios.map((name) => (
                <th key={name} scope="col">
                  {labelOf(name)}
                  <span className={classes['unit']}>{t(PRICE_OF[name])}</span>
                </th>
              ))}
              <th scope="col" className={classes['tools']}>
                {t('common.table.actions')}
              </th>
            </tr>
          </thead>
          <tbody>
            <Spacer height={first * rowHeight} />
            {shown.slice(first, last).map((row, index) => (
              <RatioTableRow
                key={row.model}
                row={row}
                rowIndex={first + index + 2}
                shown={ratios}
                quotaPerUnit={Number(stored['QuotaPerUnit'])}
                onRatio={(table, ratio) => onChange([table], row.model, ratio)}
                onBlur={onBlur}
                onRemove={() => {
                  onChange(RATIO_TABLES, row.model, undefined)
                  frame.current?.focus()
                }}
              />
            ))}
            <Spacer height={(shown.length - last) * rowHeight} />
          </tbody>
        </table>
      </div>
    </>
  )
}

/** Takes the height of rows that are not rendered. */
function Spacer({ height }: { height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden>
      <td colSpan={RATIO_TABLES.length + 2} style={{ height, padding: 0, border: 0 }} />
    </tr>
  )
}

type ChosenProps = { chosen: RatioTable; onChoose: (name: RatioTable) => void }

/** Phones have room for one column of ratios. */
function ChosenRatio({ chosen, onChoose }: ChosenProps) {
  const { t } = useTranslation()
  return (
    <NativeSelect
      mt="xs"
      aria-label={t('settings.ratio.shownRatio')}
      value={chosen}
      onChange={({ currentTarget }) => {
        const name = RATIO_TABLES.find((known) => known === currentTarget.value)
        if (name) onChoose(name)
      }}
      data={RATIO_TABLES.map((value) => ({ value, label: labelOf(value) }))}
    />
  )
}

type SearchProps = {
  keyword: string
  isKnown: boolean
  onKeyword: (keyword: string) => void
  onAdd: () => void
}

function SearchOrAdd({ keyword, isKnown, onKeyword, onAdd }: SearchProps) {
  const { t } = useTranslation()
  const name = keyword.trim()
  const reason = isKnown ? t('settings.ratio.known') : t('settings.ratio.nameFirst')
  const canAdd = name !== '' && !isKnown
  const onEnter = (event: SyntheticEvent) => {
    event.preventDefault()
    if (canAdd) onAdd()
  }
  return (
    <div className={classes['searchOrAdd']}>
      <TextInput
        aria-label={t('settings.ratio.search')}
        placeholder={t('settings.ratio.search')}
        leftSection={<Search size={14} aria-hidden />}
        value={keyword}
        maxLength={MODEL_CHARACTERS_MAX}
        onChange={(event) => onKeyword(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) onEnter(event)
        }}
        autoComplete="off"
        spellCheck={false}
      />
      <Button
        variant="default"
        leftSection={<Plus size={14} aria-hidden />}
        disabled={!canAdd}
        {...(!canAdd && { title: reason })}
        onClick={onAdd}
      >
        {canAdd ? t('settings.ratio.addNamed', { name }) : t('settings.ratio.add')}
      </Button>
    </div>
  )
}
