import { type DeliveryDeps, startDelivering } from './deliver-messages.ts'
import { type KeepLogDeps, startKeepingLog } from './keep-log.ts'
import { type ReviveDeps, startReviving } from './revive-channels.ts'

export function startJobs(deps: DeliveryDeps & ReviveDeps & KeepLogDeps): {
  stop: () => Promise<void>
} {
  const jobs = [startDelivering(deps), startReviving(deps), startKeepingLog(deps)]
  return {
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}
