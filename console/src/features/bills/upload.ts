import { type BillImport, type BillMapping, billEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'
import { partsOf } from './file-parts.ts'

type Upload = {
  id: number
  file: File
  mapping: BillMapping
  /** From 0 to 1. */
  onProgress: (share: number) => void
}

/** Sends a file in parts, one after the other. Stops early if the import has failed. */
export async function uploadFile({ id, file, mapping, onProgress }: Upload): Promise<BillImport> {
  const name = file.name.slice(0, 200)
  const { data } = await call(billEndpoints.beginBillImport, { body: { id, file: name, mapping } })
  let state = data
  let part = 0
  for await (const { text, last, share } of partsOf(file)) {
    const body = { id: state.id, part, text, last }
    state = (await call(billEndpoints.addBillPart, { body })).data
    onProgress(share)
    if (state.state !== 'running') break
    part += 1
  }
  return state
}
