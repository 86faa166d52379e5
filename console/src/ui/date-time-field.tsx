import { ActionIcon, Popover, TextInput, type TextInputProps } from '@mantine/core'
import { CalendarDays } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import { formatTime, parseTime } from '../lib/format.ts'
import { loadExtra } from '../lib/load-chunk.ts'

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'label'> & {
  label: string
  /** `YYYY-MM-DD HH:mm:ss` in local time, or any unfinished input. */
  value: string
  onChange: (text: string) => void
}

const loadCalendar = async () => (await import('./date-calendar.tsx')).DateCalendar

export function DateTimeField({ label, value, onChange, ...rest }: Props) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const [Calendar, setCalendar] = useState<Awaited<ReturnType<typeof loadCalendar>> | null>(null)
  const seconds = parseTime(value)
  const current = seconds === null ? null : formatTime(seconds)
  const pick = (day: string | null) => {
    if (day !== null) onChange(`${day} ${current?.slice(11) ?? '00:00:00'}`)
    setIsOpen(false)
  }
  // Opens only after the calendar has loaded, so that the popover has something to focus.
  const toggle = async () => {
    const loaded = await loadExtra(t('common.form.calendar'), loadCalendar)
    if (!loaded) return
    setCalendar(() => loaded)
    setIsOpen((open) => !open)
  }
  const calendar = (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          size={26}
          onClick={() => void toggle()}
          aria-label={t('common.form.calendarOf', { label })}
          title={t('common.form.calendar')}
        >
          <CalendarDays size={14} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('common.form.calendarOf', { label })}>
        {Calendar && (
          <Calendar
            day={current?.slice(0, 10) ?? null}
            shown={(current ?? formatTime(Date.now() / 1000)).slice(0, 10)}
            onPick={pick}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  )
  return (
    <TextInput
      {...rest}
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      placeholder="YYYY-MM-DD HH:mm:ss"
      autoComplete="off"
      rightSection={calendar}
    />
  )
}
