import { useTranslation } from 'react-i18next'
import { OptionSection } from './option-section.tsx'
import { OptionTab } from './option-tab.tsx'
import { SYSTEM_SECTIONS } from './sections.ts'
import { TestMail } from './test-mail.tsx'

export function SystemPage() {
  const { t } = useTranslation()
  const sections = Object.values(SYSTEM_SECTIONS)
  return (
    <OptionTab title={t('settingsTitle.system')} sections={sections}>
      {sections.map((section) => (
        <OptionSection key={section.id} section={section}>
          {section.id === 'smtp' && <TestMail />}
        </OptionSection>
      ))}
    </OptionTab>
  )
}
