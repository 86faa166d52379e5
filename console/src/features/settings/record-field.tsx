import { Button, Textarea, TextInput } from '@mantine/core'
import { Plus, Trash2 } from 'lucide-react'
import { type RefObject, useRef, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { type FieldProps, labelOf } from './field-props.ts'
import { MoveGroup } from './move-group.tsx'
import { parseRows, type RecordRow, textOfRows } from './record-rows.ts'
import { RowsOrJson } from './rows-or-json.tsx'
import classes from './settings.module.css'

const KINDS = {
  group_limits: {
    kind: 'number',
    name: 'settings.table.group',
    value: 'settings.table.limit',
    add: 'settings.table.addGroup',
  },
  group_ratios: {
    kind: 'number',
    name: 'settings.table.group',
    value: 'settings.table.ratio',
    add: 'settings.table.addGroup',
  },
  call_prices: {
    kind: 'number',
    name: 'settings.table.model',
    value: 'settings.table.dollars',
    add: 'settings.table.addModel',
  },
  links: {
    kind: 'text',
    name: 'settings.table.linkName',
    value: 'settings.table.linkAddress',
    add: 'settings.table.addLink',
  },
} as const

type Editor = keyof typeof KINDS

export function RecordField({ editor, ...props }: FieldProps & { editor: Editor }) {
  return (
    <RowsOrJson
      {...props}
      rows={(text, onChange) =>
        parseRows(text) && (
          <Rows editor={editor} label={labelOf(props.name)} text={text} onChange={onChange} />
        )
      }
    />
  )
}

type RowsProps = {
  editor: Editor
  label: string
  text: string
  onChange: (text: string) => void
}

/**
 * Unfinished rows, such as two with the same name, live in this state because an object cannot hold
 * them.
 */
function useRows({ editor, text, onChange }: RowsProps) {
  const [state, setState] = useState({ text, rows: parseRows(text) ?? [] })
  const current = state.text === text ? state : { text, rows: parseRows(text) ?? [] }
  if (current !== state) setState(current)
  const setRows = (rows: readonly RecordRow[]) => {
    const next = textOfRows(rows, KINDS[editor].kind)
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
  const { kind, ...texts } = KINDS[props.editor]
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
          <div key={index} className={classes['row']} data-number={kind === 'number' || undefined}>
            {/* Wraps, because an input would cut the names of models. */}
            <Textarea
              autosize
              minRows={1}
              aria-label={t('settings.table.cell', { column: t(texts.name), row: index + 1 })}
              placeholder={t(texts.name)}
              value={name}
              onChange={(event) => change(index, [onOneLine(event.currentTarget.value), value])}
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
        aria-label={`${t(texts.add)}: ${props.label}`}
        onClick={() => {
          setRows([...rows, ['', '']])
          focusLastRow(list)
        }}
      >
        {t(texts.add)}
      </Button>
      {props.editor === 'group_ratios' && <MoveGroup />}
    </>
  )
}

const onOneLine = (text: string) => text.replaceAll(/[\r\n]+/g, '')

/** The new row is rendered by the next frame. */
function focusLastRow(list: RefObject<HTMLElement | null>) {
  requestAnimationFrame(() => {
    const row = list.current?.lastElementChild
    row?.querySelector('textarea')?.focus()
  })
}
