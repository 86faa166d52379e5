import type { billEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { readSource } from '../../settings/bills/bill-deps.ts'
import { compareSource } from '../../settings/bills/compare-source.ts'
import { IMPORTS_SHOWN } from '../../settings/bills/run-import.ts'
import { listImports } from '../../store/bill-imports.ts'
import { listSources, type StoredSource } from '../../store/bill-sources.ts'
import type { AdminDeps } from '../deps.ts'
import { listBilledRows } from './billed-rows.ts'
import { createSource, editSource, removeSource, requireSource } from './change-sources.ts'
import { addFilePart, beginFile, type ImportRuns, preview, pullNow } from './imports.ts'
import { presentImport, presentSource } from './present-source.ts'

type Span = { start_timestamp: number; end_timestamp: number }

const spanOf = ({ start_timestamp, end_timestamp }: Span) => ({
  from: start_timestamp,
  to: end_timestamp,
})

export function billHandlers(deps: AdminDeps, runs: ImportRuns): Handlers<typeof billEndpoints> {
  const { database } = deps
  const present = async (source: StoredSource, language: 'en' | 'zh') => {
    const imports = await listImports(database.kysely, source.id, IMPORTS_SHOWN)
    return presentSource(source, imports, language)
  }
  return {
    listBillSources: async ({ language }) => {
      const sources = await listSources(database.kysely)
      return { data: await Promise.all(sources.map((source) => present(source, language))) }
    },
    createBillSource: async (context, { body }) => ({
      data: await present(await createSource(deps, context, body), context.language),
    }),
    updateBillSource: async (context, { body }) => ({
      data: await present(await editSource(deps, context, body), context.language),
    }),
    deleteBillSource: async (context, { params }) => {
      await removeSource(deps, context, params.id)
      return {}
    },
    previewBill: async (_, { body }) => ({ data: await preview(deps, body) }),
    beginBillImport: async (context, { body }) => ({
      data: presentImport(await beginFile(deps, context, body), context.language),
    }),
    addBillPart: async ({ language }, { body }) => ({
      data: presentImport(await addFilePart(deps, body), language),
    }),
    pullBill: async (context, { body }) => ({
      data: presentImport(await pullNow(deps, context, runs, body), context.language),
    }),
    listBillSummaries: async (_, { query }) => {
      const sources = await listSources(database.kysely)
      const data = []
      for (const source of sources) {
        data.push((await compareSource(database, readSource(source), spanOf(query))).summary)
      }
      return { data }
    },
    compareBill: async (_, { params, query }) => {
      const source = await requireSource(database.kysely, params.id)
      return { data: await compareSource(database, readSource(source), spanOf(query)) }
    },
    listBilledRows: async (_, { params, query }) => {
      const { rows, next } = await listBilledRows(deps, params.id, query)
      return { data: rows, extra: { next } }
    },
  }
}
