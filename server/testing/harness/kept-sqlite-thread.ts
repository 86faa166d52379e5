import { type MessagePort, parentPort } from 'node:worker_threads'
import { serveSqlite, type SqliteStart } from '../../src/store/sqlite-connection.ts'

export type KeptStart = { start: SqliteStart; port: MessagePort }

parentPort?.on('message', ({ start, port }: KeptStart) => serveSqlite(start, port))
