import type { Column } from '../columns.ts'
import type { ReceivedTask } from './received-task.ts'
import type { TaskClient, TaskPlace } from './task-client.ts'

export type TaskRun = {
  client: TaskClient
  column: Column
  place: TaskPlace
  refused: TaskPlace
  asked: () => readonly ReceivedTask[]
}
