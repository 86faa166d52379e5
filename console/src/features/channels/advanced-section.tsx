import { useEffect, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { useTranslation } from '../../i18n/use-translation.ts'
import { REFUSED } from '../../lib/form.ts'
import { LazyPart } from '../../ui/lazy-part.tsx'
import type { ChannelValues } from './channel-values.ts'
import classes from './channels.module.css'

const loadFields = async () => (await import('./advanced-fields.tsx')).AdvancedFields

const NAMES = ['headers', 'set_parameters', 'remove_parameters', 'apis', 'card', 'cost'] as const

type Props = { form: UseFormReturn<ChannelValues, unknown, ChannelValues> }

/** Closed unless the channel has such settings, or one of them is wrong. Fields load at need. */
export function AdvancedSection({ form }: Props) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(() => NAMES.some((name) => form.getValues(name).length > 0))
  // Closed fields stay, so that a wrong one can get the focus.
  const [isLoaded, setIsLoaded] = useState(isOpen)
  if (isOpen && !isLoaded) setIsLoaded(true)
  useOpenForProblems(form, setIsOpen)
  return (
    <details
      className={classes['advanced']}
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>{t('channelForm.advanced')}</summary>
      {isLoaded && <LazyPart name="advanced-fields" load={loadFields} props={{ form }} />}
    </details>
  )
}

const isAdvanced = (name: string) => NAMES.some((own) => own === name)

/** A closed field cannot get the focus, so it gets it once it is shown. */
function useOpenForProblems(form: Props['form'], setIsOpen: (isOpen: boolean) => void) {
  const { errors, submitCount } = form.formState
  const { setFocus } = form
  const refused = NAMES.find((name) => errors[name]?.type === REFUSED)
  useEffect(() => {
    const wrong = NAMES.find((name) => errors[name] !== undefined)
    if (submitCount === 0 || wrong === undefined) return
    setIsOpen(true)
    const isElsewhere = Object.keys(errors).some((name) => !isAdvanced(name))
    if (isElsewhere) return
    const frame = requestAnimationFrame(() => setFocus(wrong))
    return () => cancelAnimationFrame(frame)
    // Typing in a wrong field must not move the focus, so only a submit counts,
    // and what the server says to it.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [submitCount, refused])
}
