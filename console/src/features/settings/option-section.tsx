import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { sectionsOf } from '@tollgate/contract'
import { currentLanguage } from '../../i18n/texts.ts'
import { isSwitch } from './drafts.ts'
import { OptionForm } from './option-form.tsx'
import { OptionSwitch } from './option-switch.tsx'
import classes from './settings.module.css'

type Props = { section: ReturnType<typeof sectionsOf>[number]; children: ReactNode }

/** Heading, switches that apply at once, fields with a Save button, and extra actions. */
export function OptionSection({ section, children }: Props) {
  const language = currentLanguage()
  const switches = section.options.filter(isSwitch)
  const fields = section.options.filter((key) => !isSwitch(key))
  return (
    <section id={section.id} className={classes['section']} aria-labelledby={`${section.id}-title`}>
      <Title order={2} id={`${section.id}-title`} mb="sm">
        {section.title[language]}
      </Title>
      {section.hint && (
        <Text c="dimmed" mb="lg" className={classes['narrow'] ?? ''}>
          {section.hint[language]}
        </Text>
      )}
      {switches.length > 0 && (
        <Stack gap="md" mb={fields.length > 0 ? 'lg' : 0} className={classes['narrow'] ?? ''}>
          {switches.map((key) => (
            <OptionSwitch key={key} name={key} />
          ))}
        </Stack>
      )}
      {fields.length > 0 && <OptionForm id={section.id} keys={fields} />}
      {children}
    </section>
  )
}
