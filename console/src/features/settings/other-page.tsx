import { CheckUpdates } from './check-updates.tsx'
import { OptionsTab } from './option-tab.tsx'

export const OtherPage = () => <OptionsTab tab="other" extras={{ updates: <CheckUpdates /> }} />
