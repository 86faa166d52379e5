import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import type { ConfirmationWay } from '@tollgate/contract'
import * as passkeys from '../../lib/passkeys.ts'
import { ProofForm } from './proof-form.tsx'

// Without texts each text is its key.
vi.mock('./factor.messages.ts', () => ({}))

const alertIn = (ways: readonly ConfirmationWay[]) => {
  const form = (
    <MantineProvider>
      <QueryClientProvider client={new QueryClient()}>
        <ProofForm
          ways={ways}
          verb="Confirm"
          beginPasskey={vi.fn<() => Promise<never>>()}
          onProof={vi.fn<() => Promise<void>>()}
          wayOut={null}
        />
      </QueryClientProvider>
    </MantineProvider>
  )
  return /role="alert"[^>]*>([^<]+)</.exec(renderToStaticMarkup(form))?.[1]
}

afterEach(() => void vi.restoreAllMocks())

test('missing passkey support is mentioned only if a passkey would help', () => {
  vi.spyOn(passkeys, 'arePasskeysSupported').mockReturnValue(false)
  expect(alertIn(['passkey'])).toBe('factor.passkey.unsupported')
  expect(alertIn([])).toBe('factor.none')
  expect(alertIn(['passkey', 'recovery_code'])).toBeUndefined()
})
