import { Button, NumberInput, Switch, TextInput } from '@mantine/core'
import { Plus, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatTime, parseTime } from '../../lib/format.ts'
import { DateTimeField } from '../../ui/date-time-field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import type { FieldProps } from './field-props.ts'
import {
  newPromotion,
  type PackageDraft,
  type PackagesDraft,
  parsePackages,
  type PromotionDraft,
  textOfPackages,
} from './packages.ts'
import { RowsOrJson } from './rows-or-json.tsx'
import classes from './settings.module.css'

export function PackagesField(props: FieldProps) {
  return (
    <RowsOrJson
      {...props}
      rows={(text, onChange) => {
        const draft = parsePackages(text)
        return draft && <Rows draft={draft} onDraft={(next) => onChange(textOfPackages(next))} />
      }}
    />
  )
}

type Props = { draft: PackagesDraft; onDraft: (draft: PackagesDraft) => void }

function Rows({ draft, onDraft }: Props) {
  const { t } = useTranslation()
  const { packages, promotion } = draft
  const add = useRef<HTMLButtonElement>(null)
  const setPackages = (next: PackageDraft[]) => onDraft({ ...draft, packages: next })
  const setPromotion = (next: PromotionDraft | null) => onDraft({ ...draft, promotion: next })
  return (
    <>
      <div className={classes['rows']}>
        {packages.map((row, index) => (
          <PackageRow
            // oxlint-disable-next-line react/no-array-index-key -- rows have no ids and may be equal
            key={index}
            row={row}
            number={index + 1}
            onRow={(next) => setPackages(packages.with(index, next))}
            onRemove={() => {
              setPackages(packages.toSpliced(index, 1))
              add.current?.focus()
            }}
          />
        ))}
      </div>
      <Button
        ref={add}
        mt="sm"
        size="compact-sm"
        variant="default"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() => setPackages([...packages, { usd: null, cny: null }])}
      >
        {t('settings.packages.add')}
      </Button>
      <Switch
        mt="lg"
        label={t('settings.packages.promotion')}
        checked={promotion !== null}
        onChange={(event) =>
          setPromotion(
            event.currentTarget.checked ? newPromotion(Math.floor(Date.now() / 1000)) : null,
          )
        }
      />
      {promotion && <Promotion promotion={promotion} onPromotion={setPromotion} />}
    </>
  )
}

type RowProps = {
  row: PackageDraft
  number: number
  onRow: (row: PackageDraft) => void
  onRemove: () => void
}

function PackageRow({ row, number, onRow, onRemove }: RowProps) {
  const { t } = useTranslation()
  const named = (column: string) => t('settings.table.cell', { column, row: number })
  return (
    <div className={classes['row']} data-columns="3">
      <NumberInput
        aria-label={named(t('settings.packages.usd'))}
        placeholder={t('settings.packages.usd')}
        prefix="$"
        min={0}
        hideControls
        value={row.usd ?? ''}
        onChange={(value) => onRow({ ...row, usd: numberOf(value) })}
      />
      <NumberInput
        aria-label={named(t('settings.packages.cny'))}
        placeholder={t('settings.packages.cny')}
        prefix="¥"
        min={0}
        hideControls
        value={row.cny ?? ''}
        onChange={(value) => onRow({ ...row, cny: numberOf(value) })}
      />
      <TextInput
        aria-label={named(t('settings.packages.link'))}
        placeholder={t('settings.packages.linkHint')}
        value={row.link ?? ''}
        onChange={(event) => onRow({ ...row, link: event.currentTarget.value })}
        autoComplete="off"
      />
      <IconButton
        aria-label={t('settings.table.remove', { name: named(t('settings.packages.one')) })}
        onClick={onRemove}
      >
        <Trash2 size={14} aria-hidden />
      </IconButton>
    </div>
  )
}

type PromotionProps = {
  promotion: PromotionDraft
  onPromotion: (promotion: PromotionDraft) => void
}

function Promotion({ promotion, onPromotion }: PromotionProps) {
  const { t } = useTranslation()
  return (
    <div className={classes['promotion']}>
      <NumberInput
        label={t('settings.packages.percent')}
        min={1}
        max={100}
        allowDecimal={false}
        suffix=" %"
        clampBehavior="none"
        value={promotion.percent ?? ''}
        onChange={(value) => onPromotion({ ...promotion, percent: numberOf(value) })}
      />
      <Moment
        label={t('settings.packages.from')}
        seconds={promotion.from}
        onSeconds={(from) => onPromotion({ ...promotion, from })}
      />
      <Moment
        label={t('settings.packages.until')}
        seconds={promotion.until}
        onSeconds={(until) => onPromotion({ ...promotion, until })}
      />
    </div>
  )
}

type MomentProps = {
  label: string
  seconds: number | null
  onSeconds: (seconds: number | null) => void
}

/** Keeps typed text that is not a valid time yet. */
function Moment({ label, seconds, onSeconds }: MomentProps) {
  const [text, setText] = useState(seconds === null ? '' : formatTime(seconds))
  const isOther = seconds !== null && parseTime(text) !== seconds
  return (
    <DateTimeField
      label={label}
      value={isOther ? formatTime(seconds) : text}
      onChange={(next) => {
        setText(next)
        onSeconds(parseTime(next))
      }}
    />
  )
}

const numberOf = (value: number | bigint | string) =>
  value === '' || !Number.isFinite(Number(value)) ? null : Number(value)
