import { Button, TextInput } from '@mantine/core'
import { Plus, Trash2 } from 'lucide-react'
import { type RefObject, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../ui/icon-button.tsx'
import { type FieldProps, labelOf } from './field-props.ts'
import { parseRows, type RecordRow, textOfRows } from './record-rows.ts'
import { RowsOrJson } from './rows-or-json.tsx'
import classes from './settings.module.css'

const GROUP_LIMITS = {
  kind: 'number',
  name: 'settings.table.group',
  value: 'settings.table.limit',
  add: 'settings.table.addGroup',
} as const

const KINDS = {
  GroupRequestsPerMinute: GROUP_LIMITS,
  GroupTokensPerMinute: GROUP_LIMITS,
  GroupConcurrentRequests: GROUP_LIMITS,
  GroupRatio: {
    kind: 'number',
    name: 'settings.table.group',
    value: 'settings.table.ratio',
    add: 'settings.table.addGroup',
  },
  Links: {
    kind: 'text',
    name: 'settings.table.linkName',
    value: 'settings.table.linkAddress',
    add: 'settings.table.addLink',
  },
} as const

type Name = keyof typeof KINDS

export function RecordField({ name, form }: FieldProps & { name: Name }) {
  return (
    <RowsOrJson
      name={name}
      form={form}
      rows={(text, onChange) =>
        parseRows(text) && <Rows name={name} text={text} onChange={onChange} />
      }
    />
  )
}

type RowsProps = { name: Name; text: string; onChange: (text: string) => void }

/**
 * Unfinished rows, such as two with the same name, live in this state because an object cannot hold
 * them.
 */
function useRows({ name, text, onChange }: RowsProps) {
  const [state, setState] = useState({ text, rows: parseRows(text) ?? [] })
  const current = state.text === text ? state : { text, rows: parseRows(text) ?? [] }
  if (current !== state) setState(current)
  const setRows = (rows: readonly RecordRow[]) => {
    const next = textOfRows(rows, KINDS[name].kind)
    setState({ text: next, rows: [...rows] })
    onChange(next)
  }
  return { rows: current.rows, setRows }
}

function Rows(props: RowsProps) {
  const { t } = useTranslation()
  const { rows, setRows } = useRows(props)
  const list = useRef<HTMLDivElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  const { kind, ...texts } = KINDS[props.name]
  const change = (index: number, row: RecordRow) => setRows(rows.with(index, row))
  const remove = (index: number) => {
    setRows(rows.toSpliced(index, 1))
    add.current?.focus()
  }
  return (
    <>
      <div ref={list} className={classes['rows']}>
        {rows.map(([name, value], index) => (
          // oxlint-disable-next-line react/no-array-index-key -- names change while they are typed
          <div key={index} className={classes['row']}>
            <TextInput
              aria-label={t('settings.table.cell', { column: t(texts.name), row: index + 1 })}
              placeholder={t(texts.name)}
              value={name}
              onChange={(event) => change(index, [event.currentTarget.value, value])}
              autoComplete="off"
              spellCheck={false}
            />
            <TextInput
              aria-label={t('settings.table.cell', { column: t(texts.value), row: index + 1 })}
              placeholder={t(texts.value)}
              value={value}
              onChange={(event) => change(index, [name, event.currentTarget.value])}
              inputMode={kind === 'number' ? 'decimal' : 'url'}
              autoComplete="off"
              spellCheck={false}
            />
            <IconButton
              aria-label={t('settings.table.remove', {
                name: name === '' ? String(index + 1) : name,
              })}
              onClick={() => remove(index)}
            >
              <Trash2 size={14} aria-hidden />
            </IconButton>
          </div>
        ))}
      </div>
      <Button
        ref={add}
        mt="sm"
        size="compact-sm"
        variant="default"
        leftSection={<Plus size={14} aria-hidden />}
        aria-label={`${t(texts.add)}: ${labelOf(props.name)}`}
        onClick={() => {
          setRows([...rows, ['', '']])
          focusLastRow(list)
        }}
      >
        {t(texts.add)}
      </Button>
    </>
  )
}

/** The new row is rendered by the next frame. */
function focusLastRow(list: RefObject<HTMLElement | null>) {
  requestAnimationFrame(() => {
    const row = list.current?.lastElementChild
    row?.querySelector('input')?.focus()
  })
}
