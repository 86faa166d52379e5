import { useMutation } from '@tanstack/react-query'
import { type OAuthProvider, oauthEndpoints } from '@tollgate/contract'
import { call } from './api.ts'

/** Leads to an identity server, which sends the browser back to /oauth/<provider>. */
export function useExternalSignIn() {
  return useMutation({
    mutationFn: (provider: OAuthProvider) =>
      call(oauthEndpoints.startOAuth, { query: { provider } }),
    onSuccess: ({ data }) => window.location.assign(data),
  })
}
