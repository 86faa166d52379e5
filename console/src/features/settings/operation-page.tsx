import { useTranslation } from 'react-i18next'
import { LogCleanup } from './log-cleanup.tsx'
import { OptionSection } from './option-section.tsx'
import { OptionTab } from './option-tab.tsx'
import { OPERATION_SECTIONS } from './sections.ts'

export function OperationPage() {
  const { t } = useTranslation()
  const sections = Object.values(OPERATION_SECTIONS)
  return (
    <OptionTab title={t('settingsTitle.operation')} sections={sections}>
      {sections.map((section) => (
        <OptionSection key={section.id} section={section}>
          {section.id === 'log' && <LogCleanup />}
        </OptionSection>
      ))}
    </OptionTab>
  )
}
