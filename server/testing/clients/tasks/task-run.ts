import type { Column } from '../columns.ts'
import type { AskedTask } from './asked.ts'
import type { TaskClient, TaskPlace } from './task-client.ts'

/** One feature of one client at one provider. */
export type TaskRun = {
  client: TaskClient
  column: Column
  place: TaskPlace
  refused: TaskPlace
  /** What has reached the provider in this run. */
  asked: () => readonly AskedTask[]
}
