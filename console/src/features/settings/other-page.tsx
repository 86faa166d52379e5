import { useTranslation } from 'react-i18next'
import { CheckUpdates } from './check-updates.tsx'
import { OptionSection } from './option-section.tsx'
import { OptionTab } from './option-tab.tsx'
import { OTHER_SECTIONS } from './sections.ts'

export function OtherPage() {
  const { t } = useTranslation()
  const sections = Object.values(OTHER_SECTIONS)
  return (
    <OptionTab title={t('settingsTitle.other')} sections={sections}>
      {sections.map((section) => (
        <OptionSection key={section.id} section={section}>
          {section.id === 'updates' && <CheckUpdates />}
        </OptionSection>
      ))}
    </OptionTab>
  )
}
