import { ActionIcon, Popover, TextInput, type TextInputProps } from '@mantine/core'
import { DatePicker } from '@mantine/dates'
import { CalendarDays } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatTime, parseTime } from '../lib/format.ts'
import '@mantine/dates/styles.layer.css'
import 'dayjs/locale/zh-cn'

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'label'> & {
  label: string
  /** `YYYY-MM-DD HH:mm:ss` in local time, or whatever was typed so far. */
  value: string
  onChange: (text: string) => void
}

/** A time to type, with a calendar for the day; the hour that was typed stays. */
export function DateTimeField({ label, value, onChange, ...rest }: Props) {
  const { t, i18n } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const seconds = parseTime(value)
  const current = seconds === null ? null : formatTime(seconds)
  const pick = (day: string | null) => {
    if (day !== null) onChange(`${day} ${current?.slice(11) ?? '00:00:00'}`)
    setIsOpen(false)
  }
  const calendar = (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          size={26}
          onClick={() => setIsOpen((open) => !open)}
          aria-label={t('common.form.calendarOf', { label })}
          title={t('common.form.calendar')}
        >
          <CalendarDays size={14} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('common.form.calendarOf', { label })}>
        <DatePicker
          value={current?.slice(0, 10) ?? null}
          defaultDate={current?.slice(0, 10) ?? formatTime(Date.now() / 1000).slice(0, 10)}
          onChange={pick}
          locale={i18n.language === 'zh' ? 'zh-cn' : 'en'}
          size="sm"
          hideOutsideDates
          ariaLabels={{
            previousMonth: t('common.form.previousMonth'),
            nextMonth: t('common.form.nextMonth'),
          }}
        />
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
