import { type DeliveryDeps, startDelivering } from './deliver-messages.ts'
import { type LogMaintenanceDeps, startLogMaintenance } from './log-maintenance.ts'
import { type PriceFeedDeps, startPullingFeeds } from './pull-price-feeds.ts'
import { type ReviveDeps, startReviving } from './revive-channels.ts'

export function startJobs(deps: DeliveryDeps & ReviveDeps & LogMaintenanceDeps & PriceFeedDeps): {
  stop: () => Promise<void>
} {
  const jobs = [
    startDelivering(deps),
    startReviving(deps),
    startLogMaintenance(deps),
    startPullingFeeds(deps),
  ]
  return {
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}
