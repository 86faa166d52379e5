import { LogCleanup } from './log-cleanup.tsx'
import { OptionsTab } from './options-tab.tsx'

export const OperationPage = () => <OptionsTab tab="operation" extras={{ log: <LogCleanup /> }} />
