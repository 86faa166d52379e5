import { useState } from 'react'
import { formatTime, parseTime } from '../../lib/format.ts'
import { isChannelId, isSameFilter, type LogFilter, type Range } from './log-search.ts'

const isReadable = (text: string) => text.trim() === '' || parseTime(text) !== null

/** Filter edits not applied yet, and the functions that apply them. */
export function useFilterDraft(filter: LogFilter, onChange: (filter: LogFilter) => void) {
  const [shown, setShown] = useState(filter)
  const [submitted, setSubmitted] = useState(filter)
  const [draft, setDraft] = useState(filter)
  const [times, setTimes] = useState(() => timesOf(filter))
  // The URL may also change through the back button or a link, which resets the draft. A URL change
  // caused by this form keeps what was typed meanwhile.
  if (!isSameFilter(shown, filter)) {
    setShown(filter)
    if (!isSameFilter(submitted, filter)) {
      setSubmitted(filter)
      setDraft(filter)
      setTimes(timesOf(filter))
    }
  }
  const apply = (part: Partial<LogFilter>) => {
    const next = { ...draft, ...part }
    const channel = isChannelId(next.channel) ? next.channel : filter.channel
    setDraft(next)
    setSubmitted({ ...next, channel })
    onChange({ ...next, channel })
  }
  return {
    draft,
    times,
    isReadable,
    setDraft: (part: Partial<LogFilter>) => setDraft({ ...draft, ...part }),
    setTimes: (part: Partial<Times>) => setTimes({ ...times, ...part }),
    apply,
    pickRange: (range: Range) => {
      if (range === 'custom') setDraft({ ...draft, range })
      else apply({ range })
    },
    /** Discards unapplied edits. */
    replace: (next: LogFilter) => {
      setTimes(timesOf(next))
      apply(next)
    },
    submit: () => {
      if (!Object.values(times).every(isReadable) || !isChannelId(draft.channel)) return
      apply({
        start_timestamp: parseTime(times.start_timestamp) ?? 0,
        end_timestamp: parseTime(times.end_timestamp) ?? 0,
      })
    },
  }
}

type Times = { start_timestamp: string; end_timestamp: string }

const timesOf = ({ start_timestamp, end_timestamp }: LogFilter): Times => ({
  start_timestamp: timeText(start_timestamp),
  end_timestamp: timeText(end_timestamp),
})

const timeText = (seconds: number) => (seconds === 0 ? '' : formatTime(seconds))
