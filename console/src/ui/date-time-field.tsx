import { ActionIcon, TextInput, type TextInputProps } from '@mantine/core'
import { CalendarDays } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import { formatTime, parseTime } from '../lib/format.ts'
import { loadExtra } from '../lib/load-chunk.ts'
import { Existing, useLateTarget } from './late-target.tsx'

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'label'> & {
  label: string
  /** `YYYY-MM-DD HH:mm:ss` in local time, or any unfinished input. */
  value: string
  onChange: (text: string) => void
}

const loadCalendar = async () => (await import('./date-calendar.tsx')).DateCalendar

export function DateTimeField({ label, value, onChange, ...rest }: Props) {
  const { t } = useTranslation()
  const { button, overlays, isOpen, setIsOpen, open } = useLateTarget()
  const [Calendar, setCalendar] = useState<Awaited<ReturnType<typeof loadCalendar>> | null>(null)
  const seconds = parseTime(value)
  const current = seconds === null ? null : formatTime(seconds)
  const pick = (day: string | null) => {
    if (day !== null) onChange(`${day} ${current?.slice(11) ?? '00:00:00'}`)
    setIsOpen(false)
  }
  // Opens only after the calendar has loaded, so that the popover has something to focus.
  const show = async () => {
    const loaded = await loadExtra(t('common.form.calendar'), loadCalendar)
    if (!loaded) return
    setCalendar(() => loaded)
    await open()
  }
  const calendar = (
    <>
      <ActionIcon
        ref={button}
        size={26}
        onClick={() => (isOpen ? setIsOpen(false) : void show())}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={t('common.form.calendarOf', { label })}
        title={t('common.form.calendar')}
      >
        <CalendarDays size={14} aria-hidden />
      </ActionIcon>
      {overlays && (
        <overlays.Popover
          opened={isOpen}
          onChange={setIsOpen}
          position="bottom-end"
          trapFocus
          returnFocus
        >
          <overlays.Popover.Target>
            <Existing element={button} />
          </overlays.Popover.Target>
          <overlays.Popover.Dropdown aria-label={t('common.form.calendarOf', { label })}>
            {Calendar && (
              <Calendar
                day={current?.slice(0, 10) ?? null}
                shown={(current ?? formatTime(Date.now() / 1000)).slice(0, 10)}
                onPick={pick}
              />
            )}
          </overlays.Popover.Dropdown>
        </overlays.Popover>
      )}
    </>
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
