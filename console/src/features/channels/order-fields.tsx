import { NumberInput } from '@mantine/core'
import { Controller, type UseFormReturn } from 'react-hook-form'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useHints } from '../../lib/form.ts'
import type { ChannelValues } from './channel-values.ts'
import classes from './channels.module.css'

type Props = { form: UseFormReturn<ChannelValues, unknown, ChannelValues> }

/** Priority and weight, which decide the order of channels. */
export function OrderFields({ form }: Props) {
  const { t } = useTranslation()
  const hints = useHints(form)
  return (
    <div className={classes['pair']}>
      {(['priority', 'weight'] as const).map((name) => (
        <Controller
          key={name}
          control={form.control}
          name={name}
          render={({ field }) => (
            <NumberInput
              label={t(`channelForm.${name}`)}
              allowDecimal={false}
              {...(name === 'weight' && { min: 0 })}
              {...field}
              {...hints(name, t(`channelForm.${name}Hint`))}
            />
          )}
        />
      ))}
    </div>
  )
}
