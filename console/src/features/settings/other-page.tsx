import { CheckUpdates } from './check-updates.tsx'
import { OptionsTab } from './options-tab.tsx'

export const OtherPage = () => <OptionsTab tab="other" extras={{ updates: <CheckUpdates /> }} />
