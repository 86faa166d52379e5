import { OptionsTab } from './options-tab.tsx'
import { TestAlerts } from './test-alerts.tsx'
import { TestMail } from './test-mail.tsx'

export const SystemPage = () => (
  <OptionsTab tab="system" extras={{ smtp: <TestMail />, receivers: <TestAlerts /> }} />
)
