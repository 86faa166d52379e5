import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { isSwitch } from './drafts.ts'
import { OptionForm } from './option-form.tsx'
import { OptionSwitch } from './option-switch.tsx'
import type { Section } from './sections.ts'
import classes from './settings.module.css'

/** Heading, switches that apply at once, fields with a Save button, and extra actions. */
export function OptionSection({ section, children }: { section: Section; children?: ReactNode }) {
  const { t } = useTranslation()
  const switches = section.options.filter(isSwitch)
  const fields = section.options.filter((key) => !isSwitch(key))
  return (
    <section id={section.id} className={classes['section']} aria-labelledby={`${section.id}-title`}>
      <Title order={2} id={`${section.id}-title`} mb="sm">
        {t(section.title)}
      </Title>
      {section.hint && (
        <Text c="dimmed" mb="lg" className={classes['narrow'] ?? ''}>
          {t(section.hint)}
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
