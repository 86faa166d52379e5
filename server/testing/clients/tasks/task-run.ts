import type { Column } from '../columns.ts'
import type { AskedTask } from './asked.ts'
import type { TaskClient, TaskPlace } from './task-client.ts'

export type TaskRun = {
  client: TaskClient
  column: Column
  place: TaskPlace
  refused: TaskPlace
  asked: () => readonly AskedTask[]
}
