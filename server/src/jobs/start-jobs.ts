import { type DeliveryDeps, startDelivering } from './deliver-messages.ts'
import { type ImportBillsDeps, startImportingBills } from './import-bills.ts'
import { type LogMaintenanceDeps, startLogMaintenance } from './log-maintenance.ts'
import { type PriceFeedDeps, startPullingFeeds } from './pull-price-feeds.ts'
import { type BalanceDeps, startReadingBalances } from './read-balances.ts'
import { type ReviveDeps, startReviving } from './revive-channels.ts'
import { startTrimmingStored, type TrimDeps } from './trim-stored-items.ts'
import { type AlertRuleDeps, startWatchingAlertRules } from './watch-alert-rules.ts'
import { type BegunPricesDeps, startWritingPrices } from './write-begun-prices.ts'

type JobDeps = DeliveryDeps &
  ReviveDeps &
  LogMaintenanceDeps &
  PriceFeedDeps &
  ImportBillsDeps &
  BegunPricesDeps &
  TrimDeps &
  BalanceDeps &
  AlertRuleDeps

export function startJobs(deps: JobDeps): { stop: () => Promise<void> } {
  const jobs = [
    startDelivering(deps),
    startReviving(deps),
    startLogMaintenance(deps),
    startPullingFeeds(deps),
    startImportingBills(deps),
    startWritingPrices(deps),
    startTrimmingStored(deps),
    startReadingBalances(deps),
    startWatchingAlertRules(deps),
  ]
  return {
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}
