import { useMutation } from '@tanstack/react-query'
import { type OAuthProvider, oauthEndpoints } from '@tollgate/contract'
import { call } from './api.ts'

/** Redirects to the identity provider, which returns the browser to /oauth/<provider>. */
export function useExternalSignIn() {
  return useMutation({
    mutationFn: (provider: OAuthProvider) =>
      call(oauthEndpoints.startOAuth, { query: { provider } }),
    onSuccess: ({ data }) => window.location.assign(data),
  })
}
