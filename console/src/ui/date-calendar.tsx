import { DatePicker } from '@mantine/dates'
import { useTranslation } from '../i18n/use-translation.ts'
import '@mantine/dates/styles.layer.css'
import 'dayjs/locale/zh-cn'

type Props = {
  /** Days as `YYYY-MM-DD`. `day` is the selection, `shown` only sets the visible month. */
  day: string | null
  shown: string
  onPick: (day: string | null) => void
}

/** Separate chunk because of its size; loaded when first opened. */
export function DateCalendar({ day, shown, onPick }: Props) {
  const { t, language } = useTranslation()
  return (
    <DatePicker
      value={day}
      defaultDate={shown}
      onChange={onPick}
      locale={language === 'zh' ? 'zh-cn' : 'en'}
      size="sm"
      hideOutsideDates
      ariaLabels={{
        previousMonth: t('common.form.previousMonth'),
        nextMonth: t('common.form.nextMonth'),
      }}
    />
  )
}
