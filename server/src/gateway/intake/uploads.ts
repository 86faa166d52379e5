import { addressKey } from '../../http/rate-limit.ts'
import { Refusal } from '../errors.ts'
import type { GatewayLimits } from '../limits.ts'
import { FairSemaphore } from './fair-semaphore.ts'

export type Uploader = { readonly user: number; readonly address: string }

type UploadLimits = Pick<
  GatewayLimits,
  'arrivingBytesMax' | 'userArrivingBytesMax' | 'addressArrivingBytesMax' | 'decompressionsMax'
>

class Share {
  bytes = 0
  readonly uploads = new Set<Upload>()
}

type Holder = { readonly uploader: Uploader; readonly user: Share; readonly address: Share }

export class Upload {
  readonly holder: Holder
  bytes = 0
  /** Why the upload was refused; the upload is closed then. */
  refusal: Refusal | null = null
  readonly #pool: Uploads
  readonly #onRefused: (refusal: Refusal) => void

  constructor(pool: Uploads, holder: Holder, onRefused: (refusal: Refusal) => void) {
    this.#pool = pool
    this.holder = holder
    this.#onRefused = onRefused
  }

  /** Counts retained bytes. May refuse this upload, or one of a user who holds more. */
  add(bytes: number) {
    this.#pool.add(this, bytes)
  }

  close() {
    this.#pool.close(this)
  }

  refuse(refusal: Refusal) {
    this.close()
    this.refusal = refusal
    this.#onRefused(refusal)
  }
}

/**
 * Accounts for request bodies in memory that are being received or decompressed. When the total
 * exceeds the limit, the user who holds most loses their largest upload, so no account can starve
 * the others.
 */
export class Uploads {
  /** Turns for decompression. */
  readonly decompressionSlots: FairSemaphore
  readonly #limits: UploadLimits
  readonly #all = new Share()
  readonly #users = new Map<number, Share>()
  readonly #addresses = new Map<string, Share>()

  constructor(limits: UploadLimits) {
    this.#limits = limits
    this.decompressionSlots = new FairSemaphore(limits.decompressionsMax)
  }

  get bytes(): number {
    return this.#all.bytes
  }

  get holders(): number {
    return this.#users.size + this.#addresses.size
  }

  /** `onRefused` must release the bytes. */
  open({ user, address }: Uploader, onRefused: (refusal: Refusal) => void = () => {}): Upload {
    const uploader = { user, address: addressKey(address) }
    const holder = {
      uploader,
      user: shareOf(this.#users, user),
      address: shareOf(this.#addresses, uploader.address),
    }
    const upload = new Upload(this, holder, onRefused)
    for (const share of this.#sharesOf(upload)) share.uploads.add(upload)
    return upload
  }

  add(upload: Upload, bytes: number) {
    if (!this.#all.uploads.has(upload)) return
    upload.bytes += bytes
    for (const share of this.#sharesOf(upload)) share.bytes += bytes
    const { userArrivingBytesMax, addressArrivingBytesMax, arrivingBytesMax } = this.#limits
    const { user, address } = upload.holder
    if (user.bytes > userArrivingBytesMax) upload.refuse(tooManyOfUser(userArrivingBytesMax))
    refuseLargest(address, addressArrivingBytesMax, () => tooManyOfAddress(addressArrivingBytesMax))
    refuseLargest(this.#all, arrivingBytesMax, tooManyArriving)
  }

  close(upload: Upload) {
    if (!this.#all.uploads.delete(upload)) return
    for (const share of this.#sharesOf(upload)) {
      share.uploads.delete(upload)
      share.bytes -= upload.bytes
    }
    const { uploader, user, address } = upload.holder
    if (user.uploads.size === 0) this.#users.delete(uploader.user)
    if (address.uploads.size === 0) this.#addresses.delete(uploader.address)
  }

  #sharesOf({ holder }: Upload): readonly Share[] {
    return [holder.user, holder.address, this.#all]
  }
}

function shareOf<Key>(shares: Map<Key, Share>, key: Key): Share {
  const known = shares.get(key)
  if (known !== undefined) return known
  const share = new Share()
  shares.set(key, share)
  return share
}

/** Refuses uploads of the users who hold most until at most `bytesMax` remain. */
function refuseLargest(share: Share, bytesMax: number, refusal: () => Refusal) {
  while (share.bytes > bytesMax) {
    const upload = largestOf(share)
    if (upload === null) return
    upload.refuse(refusal())
  }
}

function largestOf({ uploads }: Share): Upload | null {
  let largest: Upload | null = null
  for (const upload of uploads) {
    if (largest === null || holdsMore(upload, largest)) largest = upload
  }
  return largest
}

function holdsMore(candidate: Upload, largest: Upload): boolean {
  const [ofOne, ofOther] = [candidate.holder.user.bytes, largest.holder.user.bytes]
  return ofOne === ofOther ? candidate.bytes > largest.bytes : ofOne > ofOther
}

const RETRY_SECONDS = 2

const tooManyOfUser = (bytesMax: number) =>
  new Refusal({
    status: 429,
    code: 'too_many_uploads',
    message:
      `This account is uploading more than ${bytesMax} bytes of request bodies at once. ` +
      'Try again when some of them have arrived.',
    retryAfterSeconds: RETRY_SECONDS,
  })

const tooManyOfAddress = (bytesMax: number) =>
  new Refusal({
    status: 429,
    code: 'too_many_uploads',
    message:
      `Your address is uploading more than ${bytesMax} bytes of request bodies at once. ` +
      'Try again when some of them have arrived.',
    retryAfterSeconds: RETRY_SECONDS,
  })

const tooManyArriving = () =>
  new Refusal({
    status: 503,
    code: 'server_busy',
    message: 'Too many large requests are arriving at once. Try again in a moment.',
    retryAfterSeconds: RETRY_SECONDS,
  })
